import { createRetention, evidenceDays } from '../lead/retention.ts'
import { createUpkeep, type Upkeep } from '../ops/upkeep.ts'
import type { Core } from './core.ts'

/** How often expired rows are deleted. They cost disk space, nothing else. */
const tidyMs = 600_000

/** How often the clock is compared with the database's. */
const watchMs = 60_000

/** What a task that has done something is called in the log. */
const events = {
  prune: 'expired claims pruned',
  stops: 'stops announced',
  retention: 'leads erased by retention',
} as const

/** The work that is done in the background, now and then. */
export function buildUpkeep({ config, log, store, stops, clock, now }: Core): Upkeep {
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
      // What a crash has left to do: a stop is announced as soon as it is recorded.
      stops: stops.announce,
      ...(retentionDays && { retention: createRetention({ store: store.inbox, now, days: retentionDays }) }),
    },
    everyMs: tidyMs,
    onDone: (task, count) => log.info({ count }, events[task as keyof typeof events]),
    onError,
  })
  // A database that is away has its own line.
  const watching = createUpkeep({ tasks: { clock: clock.compare }, everyMs: watchMs, onDone() {}, onError() {} })
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
