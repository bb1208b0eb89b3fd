import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'

/** In milliseconds: longer than any known proxy reuses a connection, so that none is closed under a request. */
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

/**
 * A work-around for an assertion of Node (`current_nghttp2_memory_ == 0`, as in nodejs/node#35233 and #39951). It
 * aborts the process when an HTTP/2 connection is garbage-collected before a stream with header fields that were never
 * delivered. A caller can cause that with too many fields, or with a second HEADERS frame without END_STREAM (RFC 9113
 * §8.1). Node 26.10 has the bug. Delete what follows once test/hostile/abort.test.ts passes without it.
 */
import { createHook } from 'node:async_hooks'
import type { ServerHttp2Session } from 'node:http2'

/** The handles of HTTP/2 connections that are open, or whose streams may still be in memory. */
const kept = new Set<object>()
const collected = new FinalizationRegistry((handle: object) => kept.delete(handle))
let newest: object

/** While enabled, finds the handle of the HTTP/2 connection that is created. */
export const newConnectionHook = createHook({
  init(_id, type, _trigger, resource) {
    if (type === 'HTTP2SESSION') newest = resource
  },
})

/** Keeps the newest HTTP/2 connection in memory until its streams have been collected. */
export function keepConnection(session: ServerHttp2Session): void {
  const handle = newest
  kept.add(handle)
  // This new object becomes garbage no earlier than the streams, which end in this turn.
  session.once('close', () => setImmediate(() => collected.register({}, handle)))
}
