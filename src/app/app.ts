import type { Config } from '../config/config.ts'
import { settleWithin } from '../deadline.ts'
import { replicaShare } from '../limit/policy.ts'
import { close } from '../net/listen.ts'
import type { Logger } from '../ops/log.ts'
import { createOpsServer } from '../ops/server.ts'
import { type Overrides, openCore } from './core.ts'
import { buildInternal } from './internal.ts'
import { buildPublic } from './public.ts'
import { listenAt } from './start-error.ts'
import { startUpkeep } from './upkeep.ts'

/** How long a shutdown may take, in milliseconds: the 25 s of specification §10, less 1.5 to write the log and exit. */
const stopMaxMs = 23_500
/** The part of it that is reserved for closing the database. */
const closeMs = 1_500
/** How long pending requests may take after the drain time, if a long drain time leaves that much. */
const finishMaxMs = 12_000

/** Creates and connects all parts. Nothing listens before `start`. `stop` ends them in an order that loses no lead. */
export async function createApp(config: Config, log: Logger, overrides: Overrides = {}) {
  const core = await openCore(config, log, overrides)
  const { limiter, readiness, store } = core
  const publicServer = buildPublic(core)
  const internal = buildInternal(core)
  const ops = createOpsServer(core.renderMetrics, readiness)
  let stopUpkeep: (() => Promise<void>) | undefined
  readiness.onChange(({ ready }) => internal.setServing(ready))

  async function closeAll(finishMs: number): Promise<true> {
    await Promise.all([close(publicServer, finishMs), internal.close(finishMs), stopUpkeep?.()])
    const tracesClosed = core.traces?.close()
    await limiter.close()
    await store.close()
    await tracesClosed
    await close(ops, 0)
    return true
  }

  /** Logs what will not work until the database or Redis answers. */
  async function warnOfOutages(): Promise<void> {
    const reason = await store.findTrouble()
    const refused = 'submissions are refused until the database is back; check DATABASE_URL'
    if (reason) log.warn(`leads cannot be stored (${reason}): ${refused}`)
    const outage = await limiter.findTrouble()
    const { limit } = replicaShare(config.ratePolicy, config.replicas)
    const share = `accepts ${limit} of the ${config.ratePolicy.limit} submissions per client; check REDIS_URL`
    if (outage)
      log.warn(`Redis is unavailable (${outage}): until it is back, this replica counts on its own and ${share}`)
  }

  return {
    /** Rejects with a `StartError` when the operator can fix the cause. */
    async start() {
      // Before a lead with a wrong time can come in. An outage is reported elsewhere.
      await core.clocks.compare().catch(() => {})
      const addresses = {
        ops: await listenAt(config.ops, 'OPS_', ops),
        internal: await listenAt(config.internal, 'INTERNAL_', internal.server),
        public: await listenAt(config.public, '', publicServer),
      }
      const { ready, troubles } = await readiness.start()
      if (!ready) log.warn({ troubles }, 'replica not ready')
      stopUpkeep = startUpkeep(core)
      await warnOfOutages()
      return addresses
    },
    /** Becomes unready, serves on for the drain time, finishes requests, and closes. Returns whether it was in time. */
    async stop(): Promise<boolean> {
      const endMs = performance.now() + stopMaxMs
      core.setStopping()
      readiness.stop()
      await new Promise((resolve) => setTimeout(resolve, config.drainSeconds * 1000))
      const leftMs = endMs - performance.now()
      const closed = closeAll(Math.min(finishMaxMs, leftMs - closeMs))
      return await settleWithin(leftMs, closed).catch((error) => {
        log.warn({ err: error }, 'stopped before everything had closed')
        return false
      })
    },
  }
}
