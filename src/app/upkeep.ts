import { createRetention, evidenceDays } from '../inbox/retention.ts'
import { createUpkeep, type Upkeep } from '../ops/upkeep.ts'
import type { Core } from './core.ts'

/** How often expired rows are deleted, in milliseconds. They cost disk space, nothing else. */
const tidyMs = 600_000

/** The log event of each task that has processed something. */
const events = {
  prune: 'expired claims pruned',
  stops: 'stops announced',
  retention: 'leads erased by retention',
} as const

/** Creates the periodic background tasks. */
export function buildUpkeep({ config, log, store, stops, now }: Core): Upkeep {
  const { retentionDays } = config
  if (retentionDays !== undefined && retentionDays < evidenceDays) {
    log.warn(
      { retentionDays, evidenceDays },
      'LEAD_RETENTION_DAYS: consent may have to be shown for five years (16 CFR 310.5), and less is kept',
    )
  }
  return createUpkeep({
    tasks: {
      prune: () => store.prune(new Date(now()).toISOString()),
      // A stop is announced right after it is recorded. This handles those that a crash has interrupted.
      stops: stops.announce,
      ...(retentionDays && { retention: createRetention({ store: store.inbox, now, days: retentionDays }) }),
    },
    everyMs: tidyMs,
    onDone: (task, count) => log.info({ count }, events[task as keyof typeof events]),
    onError: (task, error) => log.warn({ task, err: error }, 'upkeep failed'),
  })
}
