import { randomUUIDv7 } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { DescMethod } from '@bufbuild/protobuf'
import { createContextKey } from '@connectrpc/connect'
import { readCallerIds } from '../caller-ids.ts'
import type { StoredFacts } from '../lead/submit.ts'

export type Call = ReturnType<typeof createCall>

/** A call that begins now. Handlers and interceptors find it under `callKey`. `names`: those in a certificate. */
export function createCall(names: readonly string[] | undefined) {
  return {
    /** A lowercase UUID version 7, sent as `x-request-id`. */
    requestId: randomUUIDv7() as string,
    /** From `performance.now()`. */
    startedMs: performance.now(),
    names,
    /** The caller's name from the certificate. Undefined without certificates. */
    caller: names?.[0],
    /** How the handler ended: `ok` or a Connect code name such as `not_found`. Undefined before. */
    code: undefined as string | undefined,
    /** The lead that the call has stored. */
    stored: undefined as StoredFacts | undefined,
  }
}

export type CallSummary = ReturnType<typeof summarize>

/**
 * A call that ends now, for the log and the metrics. No content. `code`: `ok`, a Connect code name, `canceled` (the
 * caller left first) or `refused` (by Connect, before a handler). `service` and `method` of an unknown path: `unknown`.
 */
export function summarize(call: Call, method: DescMethod | undefined, code: string, headers: IncomingHttpHeaders) {
  const { requestId, startedMs, caller, stored } = call
  const names = { service: method?.parent.typeName ?? 'unknown', method: method?.name ?? 'unknown' }
  const seconds = (performance.now() - startedMs) / 1_000
  return { requestId, ...names, code, seconds, caller, ...readCallerIds(headers), ...stored }
}

/** The default is for tests without a listener. */
export const callKey = createContextKey<Call>(createCall(undefined))
