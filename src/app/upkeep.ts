import { createRetention, evidenceDays } from '../inbox/retention.ts'
import type { Core } from './core.ts'
import { createSchedule } from './schedule.ts'

/** How often expired rows are deleted, in milliseconds. They cost disk space, nothing else. */
const tidyMs = 600_000

/** The log event of each task that has processed something. */
const events = {
  prune: 'expired claims pruned',
  retention: 'leads erased by retention',
} as const

/** Creates the work in the background: tidying the database. */
export function buildUpkeep({ config, log, store, now }: Core) {
  const { retentionDays } = config
  if (retentionDays !== undefined && retentionDays < evidenceDays) {
    log.warn(
      { retentionDays, evidenceDays },
      'LEAD_RETENTION_DAYS: consent may have to be shown for five years (16 CFR 310.5), and less is kept',
    )
  }
  return createSchedule({
    tasks: {
      prune: () => store.prune(new Date(now()).toISOString()),
      ...(retentionDays && { retention: createRetention({ store: store.inbox, now, days: retentionDays }) }),
    },
    everyMs: tidyMs,
    onDone: (task, count) => log.info({ count }, events[task as keyof typeof events]),
    onError: (task, error) => log.warn({ task, err: error }, 'upkeep failed'),
  })
}
