import type { Config } from '../config/config.ts'
import type { Listen } from '../config/internal.ts'
import { settleWithin } from '../deadline.ts'
import { replicaShare } from '../limit/policy.ts'
import { close, listen } from '../net/listen.ts'
import type { Logger } from '../ops/log.ts'
import { createOpsServer } from '../ops/server.ts'
import type { Addresses, Condition } from './banner.ts'
import { type Overrides, openCore } from './core.ts'
import { buildInternal } from './internal.ts'
import { buildPublic } from './public.ts'
import { explainListenError } from './start-error.ts'
import { buildUpkeep } from './upkeep.ts'

/** How long a shutdown may take, in milliseconds (specification §10: 25 s in all, and the log may need one of them). */
const stopMaxMs = 23_500

/** The part of it, in milliseconds, that is left for closing the database when requests have had their time. */
const closeMs = 1_500

/** How long pending requests may take after the drain time, in milliseconds. Longer drain times leave less. */
const finishMaxMs = 12_000

/** Creates and connects all parts. Nothing listens before `start`. `stop` ends them in an order that loses no lead. */
export async function createApp(config: Config, log: Logger, overrides: Overrides = {}) {
  const core = await openCore(config, log, overrides)
  const { limiter, readiness, store } = core
  const parts = {
    public: buildPublic(core),
    internal: buildInternal(core),
    ops: createOpsServer(core),
    upkeep: buildUpkeep(core),
  }
  readiness.onChange(({ ready }) => parts.internal.setServing(ready))
  return {
    /** Rejects with a `StartError` when the operator can fix the cause. */
    async start(): Promise<Addresses> {
      const addresses = {
        ops: await listenAt(config.ops, 'OPS_', (port, host) => listen(parts.ops, port, host)),
        internal: await listenAt(config.internal, 'INTERNAL_', parts.internal.listen),
        public: await listenAt(config.public, '', parts.public.listen),
      }
      const { ready, troubles } = await readiness.start()
      if (!ready) log.warn({ troubles }, 'replica not ready')
      parts.upkeep.start()
      return addresses
    },
    async check(): Promise<Condition> {
      const health = await store.check()
      const share = replicaShare(config.ratePolicy, config.replicas).limit
      const limiterTrouble = await limiter.check()
      const troubles = []
      if (!health.ok) {
        troubles.push(
          `leads cannot be stored (${health.reason}): submissions are refused until the database is back; check DATABASE_URL`,
        )
      }
      if (limiterTrouble !== undefined) {
        troubles.push(
          `Redis is unavailable (${limiterTrouble}): until it is back, this replica counts on its own and accepts ${share} of the ${config.ratePolicy.limit} submissions per client; check REDIS_URL`,
        )
      }
      const limiterMode = limiterTrouble !== undefined ? 'fallback' : config.redis ? 'shared' : 'local'
      return { storesLeads: health.ok, limiterMode, replicaShare: share, troubles }
    },
    /**
     * Becomes unready, keeps serving during the drain time, finishes pending requests, and closes everything. What is left
     * when the time is up ends with the process.
     */
    async stop(): Promise<void> {
      const endMs = performance.now() + (overrides.stopMaxMs ?? stopMaxMs)
      core.setStopping()
      readiness.stop()
      await new Promise((resolve) => setTimeout(resolve, config.drainSeconds * 1000))
      const leftMs = endMs - performance.now()
      const finishMs = Math.min(finishMaxMs, leftMs - closeMs)
      const late = () => new Error('the shutdown has taken too long')
      await settleWithin(leftMs, closeAll(finishMs), late).catch((error) =>
        log.warn({ err: error }, 'closed unfinished'),
      )
    },
  }

  async function closeAll(finishMs: number): Promise<void> {
    await Promise.all([parts.public.close(finishMs), parts.internal.close(finishMs), parts.upkeep.stop()])
    const tracesClosed = core.traces?.close()
    await limiter.close()
    await store.close()
    await tracesClosed
    await close(parts.ops, 0)
  }
}

/** Listens on an address. `prefix` begins the names of its settings. */
async function listenAt(address: Listen, prefix: string, start: ReturnType<typeof buildPublic>['listen']) {
  try {
    return await start(address.port, address.host)
  } catch (error) {
    throw explainListenError(error, address, prefix)
  }
}
