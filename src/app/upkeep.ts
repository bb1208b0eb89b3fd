import { setTimeout as pause } from 'node:timers/promises'
import { createRetention, evidenceDays } from '../consent/erasure.ts'
import type { Core } from './core.ts'

/** How often expired rows are deleted, in milliseconds. Until then they only cost disk space. */
const tidyMs = 600_000
/** How often clocks, and the settings of replicas, are compared, in milliseconds. */
const clockMs = 60_000

/** Works in the background. A failed task is repeated in the next round. Returns the stop function. */
export function startUpkeep({ config, log, store, clocks, compareSettings }: Core) {
  const { retentionDays } = config
  const warning = 'LEAD_RETENTION_DAYS: consent may have to be shown for five years (16 CFR 310.5), and less is kept'
  if (retentionDays !== undefined && retentionDays < evidenceDays) log.warn({ retentionDays, evidenceDays }, warning)
  const stopping = new AbortController()
  const { signal } = stopping
  const retention = retentionDays && createRetention(store.inbox, clocks.trustedNow, retentionDays)
  async function prune(): Promise<number> {
    const nowMs = await clocks.trustedNow()
    return nowMs === undefined ? 0 : await store.prune(new Date(nowMs).toISOString())
  }
  async function tidy(task: string, event: string, work: (signal: AbortSignal) => Promise<number>): Promise<void> {
    try {
      const count = await work(signal)
      if (count > 0) log.info({ count }, event)
    } catch (error) {
      log.warn({ task, err: error }, 'upkeep failed')
    }
  }
  const running = [
    // An outage is reported elsewhere.
    repeat(clockMs, signal, () => Promise.allSettled([clocks.compare(), compareSettings()])),
    repeat(tidyMs, signal, async () => {
      await tidy('prune', 'expired claims pruned', prune)
      if (retention && !signal.aborted) await tidy('retention', 'leads erased by retention', retention)
    }),
  ]
  return async () => {
    stopping.abort()
    await Promise.all(running)
  }
}

/** Works now and after each pause, without keeping the process alive. */
async function repeat(everyMs: number, signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await work()
    await pause(everyMs, undefined, { signal, ref: false }).catch(() => {})
  }
}
