import { randomUUIDv7 } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { DescMethod } from '@bufbuild/protobuf'
import { createContextKey } from '@connectrpc/connect'
import type { StoredFacts } from '../lead/submit.ts'
import { readTraceId } from '../trace-id.ts'

export type Call = ReturnType<typeof createCall>

/** Creates the record of a call that begins now; handlers find it under `callKey`. `names` are from a certificate. */
export function createCall(names: readonly string[] | undefined) {
  return {
    /** A lowercase UUID version 7, sent as `x-request-id`. */
    requestId: randomUUIDv7() as string,
    /** From `performance.now()`. */
    startedMs: performance.now(),
    names,
    /** The caller's name from the certificate. Undefined without certificates. */
    caller: names?.[0],
    /** Set when the handler has ended: `ok` or a Connect code name such as `not_found`. */
    code: undefined as string | undefined,
    /** A field whose time is on a day that does not exist. JSON decodes it to a later one. */
    impossibleTime: undefined as string | undefined,
    stored: undefined as StoredFacts | undefined,
    /** Whether it has been summarized. */
    isOver: false,
  }
}

export type CallSummary = ReturnType<typeof summarize>

/**
 * Summarizes a call that ends now, for the log and the metrics. `code` is `ok`, a Connect code name, `canceled` (the
 * caller left first) or `refused` (by Connect, before a handler). An unknown path has `service` and `method` `unknown`.
 */
export function summarize(call: Call, method: DescMethod | undefined, code: string, headers: IncomingHttpHeaders) {
  const { requestId, startedMs, caller, stored } = call
  const names = { service: method?.parent.typeName ?? 'unknown', method: method?.name ?? 'unknown' }
  const seconds = (performance.now() - startedMs) / 1_000
  return { requestId, ...names, code, seconds, caller, traceId: readTraceId(headers), ...stored }
}

/** The default is for tests without a listener. */
export const callKey = createContextKey<Call>(createCall(undefined))
