import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'

/** In milliseconds. Longer than any known proxy reuses a connection (Google's: 600 s), so that no request meets its end. */
export const idleTimeoutMs = 650_000

/**
 * Connections that may wait to be accepted (the system may allow fewer). With Node's default of 511, the kernel drops
 * the rest of a burst, and callers retry only after one second, then three.
 */
const acceptBacklog = 4_096

/** Listens on a port (0: a free one) of `host`. `::` is every address, IPv4 and IPv6. Rejects when the port is taken. */
export async function listen(server: NetServer, port: number, host: string): Promise<AddressInfo> {
  // Without a host, Node falls back to IPv4.
  server.listen({ port, host: host === '::' ? undefined : host, backlog: acceptBacklog })
  await once(server, 'listening')
  return server.address() as AddressInfo
}

/** Closes a server: idle connections now, busy ones when they are done or after `graceMs`. */
export async function close(server: Server, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await server[Symbol.asyncDispose]()
  clearTimeout(timer)
}
