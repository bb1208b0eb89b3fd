import type { AddressInfo } from 'node:net'
import type { InternalTls } from '../config/internal.ts'
import { LeadError } from '../lead/error.ts'
import { createHealth } from './health.ts'
import { createRpcListener, type RpcTls } from './listener.ts'
import { createRpcHandler, leadServices, type RpcOptions } from './services.ts'
import { watchTlsFiles } from './tls-files.ts'

export interface RpcServerOptions extends Omit<RpcOptions, 'health' | 'shutdownSignal'> {
  /** Undefined: cleartext. */
  tls: InternalTls | undefined
  /** Called for each failed TLS handshake, with the error code of Node or OpenSSL. */
  onRefusedHandshake(code: string, peer: string | undefined): void
  /** Called when renewed certificates are in use. */
  onRenewal(tls: RpcTls): void
  /** Called when renewed certificates cannot be used. The old ones stay in use. */
  onRenewalError(error: unknown): void
  /** Milliseconds since the epoch. */
  now: () => number
}

/** The internal listener and its services. */
export interface RpcServer {
  listen(port: number, host: string): Promise<AddressInfo>
  /** Sets the status that the health service reports. */
  setServing(serving: boolean): void
  /**
   * Ends streams with `unavailable`, so that their callers reconnect elsewhere, and closes everything within `graceMs`.
   */
  close(graceMs: number): Promise<void>
}

/** Creates the internal listener. Call `listen` to start it. Throws when the certificates cannot be used. */
export function createRpcServer(serverOptions: RpcServerOptions): RpcServer {
  const { tls, onRefusedHandshake, onRenewal, onRenewalError, now, ...options } = serverOptions
  const shutdown = new AbortController()
  const health = createHealth(leadServices)
  const handler = createRpcHandler({ ...options, health, shutdownSignal: shutdown.signal })
  const { listen, renew, close } = createRpcListener({ handler, tls, onRefusedHandshake })
  const stopWatching =
    tls &&
    watchTlsFiles({
      tls,
      onRenewal(fresh) {
        renew(fresh)
        onRenewal(fresh)
      },
      onError: onRenewalError,
      now,
    })

  return {
    listen,
    setServing: health.setServing,
    async close(graceMs) {
      stopWatching?.()
      shutdown.abort(new LeadError('inbox_unavailable', 'The service is stopping. Connect again.'))
      await close(graceMs)
    },
  }
}
