import { createRetention, evidenceDays } from '../inbox/retention.ts'
import { createSchedule } from './schedule.ts'
import type { Core } from './shared-by-listeners.ts'

/** How often expired rows are deleted, in milliseconds. They cost disk space, nothing else. */
const tidyMs = 600_000

/** How often evidence is sealed, in milliseconds: between the 15 and 60 seconds of docs/specification.md §9. */
const sealMs = 20_000

/** For the alert, evidence that has waited less than this counts as sealed. */
const freshSeconds = 60

/** Evidence that has waited longer than this is logged. By then, each replica has tried several times. */
const lateSeconds = 300

/** How long a shutdown waits for the last segment, in milliseconds. The next start seals what is left. */
const lastSealMs = 3_000

/** The log event of each task that has processed something. */
const events = {
  prune: 'expired claims pruned',
  retention: 'leads erased by retention',
} as const

/** Creates the work in the background: tidying the database, and sealing the evidence. */
export function buildUpkeep({ config, log, metrics, sealer, store, stops, now }: Core) {
  const { retentionDays } = config
  if (retentionDays !== undefined && retentionDays < evidenceDays) {
    log.warn(
      { retentionDays, evidenceDays },
      'LEAD_RETENTION_DAYS: consent may have to be shown for five years (16 CFR 310.5), and less is kept',
    )
  }
  const tidying = createSchedule({
    tasks: {
      prune: () => store.prune(new Date(now()).toISOString()),
      ...(retentionDays && { retention: createRetention({ store: store.inbox, stops, now, days: retentionDays }) }),
    },
    everyMs: tidyMs,
    onDone: (task, count) => log.info({ count }, events[task as keyof typeof events]),
    onError: (task, error) => log.warn({ task, err: error }, 'upkeep failed'),
  })

  const onSealError = (_: string, error: unknown) => log.warn({ err: error }, 'evidence could not be sealed')
  // The first round seals what an earlier process has left.
  let force = true
  async function seal(signal: AbortSignal): Promise<number> {
    const count = await sealer.seal({ force, signal })
    force = false
    // A round leaves recent entries unsealed, so a short wait is normal.
    if (sealer.unsealedSeconds < freshSeconds) metrics.onSealed()
    // A wait without an error: for example, a dead session still holds the lock that sealing needs.
    if (sealer.unsealedSeconds > lateSeconds)
      log.warn({ seconds: Math.round(sealer.unsealedSeconds) }, 'evidence waits to be sealed')
    return count
  }
  const sealing = createSchedule({ tasks: { seal }, everyMs: sealMs, onError: onSealError })

  return {
    start() {
      tidying.start()
      sealing.start()
    },
    stop: tidying.stop,
    /** Seals what is left. Call this when no more leads can be stored. */
    async sealRest() {
      await sealing.stop()
      await sealer
        .seal({ force: true, signal: AbortSignal.timeout(lastSealMs) })
        .catch((error: unknown) => onSealError('seal', error))
    },
  }
}
