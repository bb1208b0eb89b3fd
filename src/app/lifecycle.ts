import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Listen } from '../config/internal.ts'
import type { Limiter } from '../limit/decision.ts'
import { replicaShare } from '../limit/fallback.ts'
import type { Upkeep } from '../ops/upkeep.ts'
import { close, listen } from '../rest/server.ts'
import type { RpcServer } from '../rpc/server.ts'
import type { Core } from './core.ts'
import type { buildPublic } from './public.ts'
import type { Sealing } from './sealing.ts'
import { explainListenError } from './start-error.ts'

/** Where the three listeners listen, once started. */
export interface Addresses {
  public: AddressInfo
  internal: AddressInfo
  ops: AddressInfo
}

/** What is in force at this moment. */
export interface Condition {
  storesLeads: boolean
  limiterMode: Limiter['mode']
  /** What this replica admits per client and window while it counts for itself, because Redis is away. */
  replicaShare: number
  /** What is wrong and what follows from it, one line each. */
  troubles: readonly string[]
}

export interface App {
  /** Rejects with a `StartError` when a person can mend what is in the way. */
  start(): Promise<Addresses>
  check(): Promise<Condition>
  /** Unready at once; goes on serving for the drain; then finishes what is in flight, flushes and closes. */
  stop(): Promise<void>
}

/** What starts and stops. */
export interface Parts {
  public: ReturnType<typeof buildPublic>
  internal: RpcServer
  ops: Server
  upkeep: Upkeep
  sealing: Sealing
}

/** How long requests in flight may go on after the drain: with it, a stop is over well within 25 s (docs/specification.md §10). */
const finishMs = 12_000

/** Starts the parts, and stops them in the order in which nothing is lost. */
export function createLifecycle(core: Core, parts: Parts): App {
  const { config, traces, limiter, readiness, store } = core
  readiness.onChange(parts.internal.setServing)
  return {
    async start() {
      const addresses = {
        ops: await listenAt(config.ops, 'OPS_', (port, host) => listen(parts.ops, port, host)),
        internal: await listenAt(config.internal, 'INTERNAL_', parts.internal.listen),
        public: await listenAt(config.public, '', parts.public.listen),
      }
      const { ready, troubles } = await readiness.start()
      if (!ready) core.log.warn({ troubles }, 'replica not ready')
      parts.upkeep.start()
      parts.sealing.start()
      return addresses
    },
    async check() {
      const health = await store.check()
      const share = replicaShare(config.ratePolicy, config.replicas).limit
      const troubles = []
      if (!health.ok) {
        troubles.push(
          `leads cannot be stored (${health.reason}): they are refused until they can be; check DATABASE_URL`,
        )
      }
      if (limiter.mode === 'fallback') {
        troubles.push(
          `Redis cannot be used: this replica counts for itself until it can, and admits ${share} of the ${config.ratePolicy.limit} submissions per client; check REDIS_*`,
        )
      }
      return { storesLeads: health.ok, limiterMode: limiter.mode, replicaShare: share, troubles }
    },
    async stop() {
      core.setStopping()
      readiness.stop()
      await new Promise((resolve) => setTimeout(resolve, config.drainSeconds * 1000))
      await Promise.all([parts.public.close(finishMs), parts.internal.close(finishMs), parts.upkeep.stop()])
      await core.stops.close()
      await parts.sealing.stop()
      await limiter.close()
      await store.close()
      await traces?.close()
      await close(parts.ops, 0)
    },
  }
}

/** Listens where the settings with this prefix say. */
async function listenAt(
  { host, port }: Listen,
  prefix: string,
  start: (port: number, host: string) => Promise<AddressInfo>,
): Promise<AddressInfo> {
  try {
    return await start(port, host)
  } catch (error) {
    throw explainListenError(error, { host, port, settings: { host: `${prefix}HOST`, port: `${prefix}PORT` } })
  }
}
