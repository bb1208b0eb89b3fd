import type { AddressInfo } from 'node:net'
import { LeadError } from '../lead/error.ts'
import { createRpcHandler, leadServices, type RpcAppOptions } from './app.ts'
import type { HandshakeFault } from './handshake.ts'
import { createHealth } from './health.ts'
import { createRpcListener, type RpcTls } from './listener.ts'
import { type TlsFiles, watchTlsFiles } from './tls-files.ts'

export interface RpcServerOptions extends Omit<RpcAppOptions, 'health' | 'shutdownSignal'> {
  /** Undefined: clear text. */
  tls: (RpcTls & { files: TlsFiles }) | undefined
  /** Hears of TLS handshakes that have failed, with the code that Node or OpenSSL gives. */
  onRefusedHandshake(fault: HandshakeFault, code: string, peer: string | undefined): void
  /** Hears of renewed certificates: of the fault when they cannot be used, of nothing when they are. */
  onRenewal(fault?: unknown): void
  /** Milliseconds since the epoch. */
  now: () => number
}

/** The internal listener with everything that it serves. */
export interface RpcServer {
  listen(port: number, host: string): Promise<AddressInfo>
  /** Says to those who ask for its health whether calls are welcome. */
  setServing(serving: boolean): void
  /** Ends streams with `unavailable`, so that their callers connect again elsewhere, and everything within `graceMs`. */
  close(graceMs: number): Promise<void>
}

/** Builds the internal listener; it listens when told to. Throws when the certificates cannot be used. */
export function createRpcServer({ tls, onRefusedHandshake, onRenewal, now, ...options }: RpcServerOptions): RpcServer {
  const shutdown = new AbortController()
  const health = createHealth(leadServices)
  const handler = createRpcHandler({ ...options, health, shutdownSignal: shutdown.signal })
  const { listen, reload, close } = createRpcListener({ handler, tls, onRefusedHandshake })
  const files = tls && watchTlsFiles({ files: tls.files, tls, reload, onReload: onRenewal, onError: onRenewal, now })

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
