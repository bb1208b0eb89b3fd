/**
 * A work-around for an abort of Node (`current_nghttp2_memory_ == 0`, as in nodejs/node#35233 and #39951): it ends the
 * process when an HTTP/2 connection is collected before a stream that still has header fields which were never
 * delivered. A caller brings that about with too many fields, or with a second HEADERS frame without END_STREAM (RFC 9113
 * §8.1). Node 26.10 has it, and no version is known to end it. Delete this file when test/hostile/abort.test.ts passes
 * without it.
 */
import { createHook } from 'node:async_hooks'
import type { ServerHttp2Session } from 'node:http2'

/** The handles of HTTP/2 connections that are open, or whose streams may still be in memory. */
const kept = new Set<object>()
const collected = new FinalizationRegistry((handle: object) => kept.delete(handle))
let newest: object

/** Finds the handle of the HTTP/2 connection that is made while this is enabled. */
export const making = createHook({
  init(_id, type, _trigger, resource) {
    if (type === 'HTTP2SESSION') newest = resource
  },
})

/** Keeps the newest HTTP/2 connection in memory until its streams have been collected. */
export function keepConnection(session: ServerHttp2Session): void {
  const handle = newest
  kept.add(handle)
  // What is collected together with this new object is garbage no later than the streams, which end in this turn.
  session.once('close', () => setImmediate(() => collected.register({}, handle)))
}
