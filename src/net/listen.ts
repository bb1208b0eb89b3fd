import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'

/** In milliseconds. Longer than any known proxy reuses a connection (Google's: 600 s), so that no request meets its end. */
export const idleTimeoutMs = 650_000

/** Listens on a port (0: a free one) of `host`. `::` is every address, IPv4 and IPv6. Rejects when the port is taken. */
export async function listen(server: NetServer, port: number, host: string): Promise<AddressInfo> {
  // Without a host, Node falls back to IPv4. With its default of 511 connections that wait to be accepted, the kernel
  // drops the rest of a burst, and callers retry only after one second, then three.
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
