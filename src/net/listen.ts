import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'

/** In milliseconds: longer than any known proxy reuses a connection, so that none is closed during a request. */
export const idleTimeoutMs = 650_000

/** Listens on a port, or a free one for 0. The host `::` is every address, IPv4 and IPv6. Rejects if it is taken. */
export async function listen(server: NetServer, port: number, host: string): Promise<AddressInfo> {
  // Without a host, Node falls back to IPv4. With Node's default backlog, the kernel drops part of a burst, and callers
  // retry only after a second.
  server.listen({ port, host: host === '::' ? undefined : host, backlog: 4_096 })
  await once(server, 'listening')
  return server.address() as AddressInfo
}

/** Closes a server: idle connections now, busy ones when they are done or after `graceMs`. */
export async function close(server: Server, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await server[Symbol.asyncDispose]()
  clearTimeout(timer)
}
