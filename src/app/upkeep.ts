import { createRetention, evidenceDays } from '../lead/retention.ts'
import { createUpkeep, type Upkeep } from '../ops/upkeep.ts'
import type { Core } from './core.ts'

/** How often expired rows are deleted. They cost disk space, nothing else. */
const upkeepMs = 600_000

/** The work that is done in the background, now and then. */
export function buildUpkeep({ config, log, store, now }: Core): Upkeep {
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
      ...(retentionDays && { retention: createRetention({ store: store.inbox, now, days: retentionDays }) }),
    },
    everyMs: upkeepMs,
    onDone: (task, count) => log.info({ task, count }, 'upkeep'),
    onError: (task, error) => log.warn({ task, err: error }, 'upkeep'),
  })
}
