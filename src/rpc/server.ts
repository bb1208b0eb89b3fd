import type { AddressInfo } from 'node:net'
import { LeadError } from '../lead/error.ts'
import { createRpcHandlers, leadServices, type RpcAppOptions } from './app.ts'
import type { HandshakeFault } from './handshake.ts'
import { createHealth } from './health.ts'
import { createRpcListener, type RpcTls } from './listener.ts'
import { type TlsFiles, watchTlsFiles } from './tls-files.ts'

export interface RpcServerOptions extends Omit<RpcAppOptions, 'health' | 'shutdownSignal'> {
  /** Undefined: cleartext. */
  tls: (RpcTls & { files: TlsFiles }) | undefined
  /** Called for each failed TLS handshake, with the error code from Node or OpenSSL. */
  onRefusedHandshake(fault: HandshakeFault, code: string, peer: string | undefined): void
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
  const handlers = createRpcHandlers({ ...options, health, shutdownSignal: shutdown.signal })
  const { listen, reload, close } = createRpcListener({ ...handlers, tls, onRefusedHandshake })
  const files =
    tls && watchTlsFiles({ files: tls.files, tls, reload, onReload: onRenewal, onError: onRenewalError, now })

  return {
    listen,
    setServing: health.setServing,
    async close(graceMs) {
      files?.stop()
      shutdown.abort(new LeadError('inbox_unavailable', 'The service is stopping. Connect again.'))
      await close(graceMs)
    },
  }
}
