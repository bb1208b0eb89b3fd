import { randomUUIDv7 } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { DescMethod } from '@bufbuild/protobuf'
import { createContextKey } from '@connectrpc/connect'
import { type CallerIds, readCallerIds } from '../caller-ids.ts'
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
    /** How the call ended: `ok` or a Connect code name such as `not_found`. Undefined before a handler has ended. */
    code: undefined as string | undefined,
    /** The lead that the call has stored. */
    stored: undefined as StoredFacts | undefined,
  }
}

/** A finished call, for the log and the metrics. No content. */
export interface CallSummary extends Partial<CallerIds>, Partial<StoredFacts>, Pick<Call, 'requestId' | 'caller'> {
  /** The full name of the service, such as `leadintake.v1.LeadIntakeService`; `unknown` for an unknown path. */
  service: string
  method: string
  /** `ok`, a Connect code name, `canceled` (the caller left first) or `refused` (by Connect, before a handler). */
  code: string
  /** From the arrival of the headers to the end of the answer. */
  seconds: number
}

export function summarize(
  { requestId, startedMs, caller, stored }: Call,
  method: DescMethod | undefined,
  code: string,
  headers: IncomingHttpHeaders,
): CallSummary {
  const names = { service: method?.parent.typeName ?? 'unknown', method: method?.name ?? 'unknown' }
  const seconds = (performance.now() - startedMs) / 1_000
  return { requestId, ...names, code, seconds, caller, ...readCallerIds(headers), ...stored }
}

/** The default is for tests without a listener. */
export const callKey = createContextKey<Call>(createCall(undefined))
