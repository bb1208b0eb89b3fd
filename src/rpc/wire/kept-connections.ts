import { executionAsyncResource } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { ServerHttp2Stream } from 'node:http2'

/** The handles of HTTP/2 connections that are open, or whose streams may still be in memory. */
const kept = new Set<object>()
const collected = new FinalizationRegistry((handle: object) => kept.delete(handle))

/**
 * Keeps each HTTP/2 connection in memory until its streams have been collected. Node 26 aborts the process when a
 * connection is collected first and a stream still has header fields that were never delivered. A caller does that with
 * a second HEADERS frame without END_STREAM (RFC 9113 §8.1).
 */
export function keepConnections(): void {
  // Published inside the connection's own callback, whose resource is its handle.
  subscribe('http2.server.stream.created', (message) => {
    const handle = executionAsyncResource()
    if (kept.has(handle)) return
    kept.add(handle)
    // What is collected together with this new object is garbage no later than the streams.
    const { session } = (message as { stream: ServerHttp2Stream }).stream
    session?.once('close', () => collected.register({}, handle))
  })
}
