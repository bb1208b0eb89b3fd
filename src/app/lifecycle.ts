import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Upkeep } from '../ops/upkeep.ts'
import { close, listen } from '../rest/server.ts'
import type { RpcServer } from '../rpc/server.ts'
import type { Core } from './core.ts'
import type { buildPublic } from './public.ts'

/** Where the three listeners listen, once started. */
export interface Addresses {
  public: AddressInfo
  internal: AddressInfo
  ops: AddressInfo
}

export interface App {
  start(): Promise<Addresses>
  /** Unready at once; goes on serving for the drain; then finishes what is in flight, flushes and closes. */
  stop(): Promise<void>
}

/** What starts and stops. */
export interface Parts {
  public: ReturnType<typeof buildPublic>
  internal: RpcServer
  ops: Server
  upkeep: Upkeep
}

/** How long requests in flight may go on after the drain: with it, a stop is over well within 25 s (contract §10). */
const finishMs = 12_000

/** Starts the parts, and stops them in the order in which nothing is lost. */
export function createLifecycle(core: Core, parts: Parts): App {
  const { config, traces, limiter, readiness, store } = core
  readiness.onChange(parts.internal.setServing)
  return {
    async start() {
      const addresses = {
        ops: await listen(parts.ops, config.ops.port, config.ops.host),
        internal: await parts.internal.listen(config.internal.port, config.internal.host),
        public: await parts.public.listen(config.public.port, config.public.host),
      }
      await readiness.start()
      parts.upkeep.start()
      parts.public.prepareDocuments()
      return addresses
    },
    async stop() {
      core.setStopping()
      readiness.stop()
      await new Promise((resolve) => setTimeout(resolve, config.drainSeconds * 1000))
      await Promise.all([parts.public.close(finishMs), parts.internal.close(finishMs), parts.upkeep.stop()])
      await limiter.close()
      await store.close()
      await traces?.close()
      await close(parts.ops, 0)
    },
  }
}
