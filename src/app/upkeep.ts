import { createRetention, evidenceDays } from '../lead/retention.ts'
import { createUpkeep, type Upkeep } from '../ops/upkeep.ts'
import type { Core } from './core.ts'

/** How often expired rows are deleted, in milliseconds. They cost disk space, nothing else. */
const tidyMs = 600_000

/** How often the clock is compared with the database's, in milliseconds. */
const watchMs = 60_000

/** The log event of each task that has processed something. */
const events = {
  prune: 'expired claims pruned',
  stops: 'stops announced',
  retention: 'leads erased by retention',
} as const

/** Creates the periodic background tasks. */
export function buildUpkeep({ config, log, store, stops, clock, certificates, now }: Core): Upkeep {
  const { retentionDays } = config
  if (retentionDays !== undefined && retentionDays < evidenceDays) {
    log.warn(
      { retentionDays, evidenceDays },
      'LEAD_RETENTION_DAYS: consent may have to be shown for five years (16 CFR 310.5), and less is kept',
    )
  }
  const onError = (task: string, error: unknown) => log.warn({ task, err: error }, 'upkeep failed')
  const tidying = createUpkeep({
    tasks: {
      prune: () => store.prune(new Date(now()).toISOString()),
      // A stop is announced right after it is recorded. This handles those that a crash has interrupted.
      stops: stops.announce,
      ...(retentionDays && { retention: createRetention({ store: store.inbox, now, days: retentionDays }) }),
    },
    everyMs: tidyMs,
    onDone: (task, count) => log.info({ count }, events[task as keyof typeof events]),
    onError,
  })
  // An unavailable database is logged elsewhere, so errors are ignored here.
  const watching = createUpkeep({
    tasks: { clock: clock.compare, certificates: certificates.check },
    everyMs: watchMs,
    onDone() {},
    onError() {},
  })
  return {
    start() {
      tidying.start()
      watching.start()
    },
    async stop() {
      await Promise.all([tidying.stop(), watching.stop()])
    },
  }
}
