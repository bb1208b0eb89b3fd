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
  const retention =
    retentionDays && createRetention({ store: store.inbox, now: clocks.trustedNow, days: retentionDays })
  async function prune(): Promise<number> {
    const nowMs = await clocks.trustedNow()
    return nowMs === undefined ? 0 : await store.prune(new Date(nowMs).toISOString())
  }
  const tasks: [name: string, event: string, task: (signal: AbortSignal) => Promise<number>][] = [
    ['prune', 'expired claims pruned', prune],
  ]
  if (retention) tasks.push(['retention', 'leads erased by retention', retention])
  // An outage is reported elsewhere.
  const stopClocks = repeat(clockMs, async () => void (await Promise.allSettled([clocks.compare(), compareSettings()])))
  const stopTidying = repeat(tidyMs, async (signal) => {
    for (const [task, event, run] of tasks) {
      if (signal.aborted) return
      try {
        const count = await run(signal)
        if (count > 0) log.info({ count }, event)
      } catch (error) {
        log.warn({ task, err: error }, 'upkeep failed')
      }
    }
  })
  return async () => void (await Promise.all([stopClocks(), stopTidying()]))
}

/** Works now and after each pause, without keeping the process alive. Stopping waits for what is running. */
function repeat(everyMs: number, work: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  async function run() {
    while (!signal.aborted) {
      await work(signal)
      await pause(everyMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
