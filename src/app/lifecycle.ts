import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Listen } from '../config/internal.ts'
import { type Limiter, replicaShare } from '../limit/decision.ts'
import { close, listen } from '../rest/server.ts'
import type { Core } from './core.ts'
import type { buildInternal } from './internal.ts'
import type { buildPublic } from './public.ts'
import { explainListenError } from './start-error.ts'
import type { buildUpkeep } from './upkeep.ts'

/** The addresses of the three listeners, once started. */
export interface Addresses {
  public: AddressInfo
  internal: AddressInfo
  ops: AddressInfo
}

/** The current condition of the service. */
export interface Condition {
  storesLeads: boolean
  limiterMode: Limiter['mode']
  /** How many submissions per client and window this replica accepts while Redis is unavailable. */
  replicaShare: number
  /** Each trouble and its consequence, one line each. */
  troubles: readonly string[]
}

/** What is started and stopped. */
export interface Parts {
  public: ReturnType<typeof buildPublic>
  internal: ReturnType<typeof buildInternal>
  ops: Server
  upkeep: ReturnType<typeof buildUpkeep>
}

/**
 * How long pending requests may take after the drain time, in milliseconds. Short enough for a shutdown within 25 s
 * (docs/specification.md §10).
 */
const finishMs = 12_000

/** Starts the parts, and stops them in an order that loses no lead. */
export function createLifecycle(core: Core, parts: Parts) {
  const { config, limiter, readiness, store } = core
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
      if (!ready) core.log.warn({ troubles }, 'replica not ready')
      parts.upkeep.start()
      return addresses
    },
    async check(): Promise<Condition> {
      const health = await store.check()
      const share = replicaShare(config.ratePolicy, config.replicas).limit
      const troubles = []
      if (!health.ok) {
        troubles.push(
          `leads cannot be stored (${health.reason}): submissions are refused until the database is back; check DATABASE_URL`,
        )
      }
      if (limiter.mode === 'fallback') {
        troubles.push(
          `Redis is unavailable: until it is back, this replica counts on its own and accepts ${share} of the ${config.ratePolicy.limit} submissions per client; check REDIS_*`,
        )
      }
      return { storesLeads: health.ok, limiterMode: limiter.mode, replicaShare: share, troubles }
    },
    /** Becomes unready, keeps serving during the drain time, finishes pending requests, and closes everything. */
    async stop(): Promise<void> {
      core.setStopping()
      readiness.stop()
      await new Promise((resolve) => setTimeout(resolve, config.drainSeconds * 1000))
      await Promise.all([parts.public.close(finishMs), parts.internal.close(finishMs), parts.upkeep.stop()])
      await core.stops.close()
      await parts.upkeep.sealRest()
      await limiter.close()
      await store.close()
      await close(parts.ops, 0)
    },
  }
}

/** Listens on an address. `prefix` begins the names of its settings. */
async function listenAt(address: Listen, prefix: string, start: Parts['public']['listen']): Promise<AddressInfo> {
  try {
    return await start(address.port, address.host)
  } catch (error) {
    throw explainListenError(error, address, prefix)
  }
}
