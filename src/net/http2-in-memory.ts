import { createHook } from 'node:async_hooks'
import type { ServerHttp2Session } from 'node:http2'

// A work-around for an assertion of Node (`current_nghttp2_memory_ == 0`, as in nodejs/node#35233 and #39951). It
// aborts the process when an HTTP/2 connection is garbage-collected before a stream with header fields that were never
// delivered. A caller can cause that with too many fields, or with a second HEADERS frame without END_STREAM (RFC 9113
// §8.1). Node 26.10 has the bug. Delete this file once test/hostile/abort.test.ts passes without it.

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
