import { randomUUIDv7 } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { DescMethod } from '@bufbuild/protobuf'
import { createContextKey } from '@connectrpc/connect'
import { type CallerIds, readCallerIds } from '../caller-ids.ts'
import type { StoredFacts } from '../lead/submit.ts'

/** One call. Created when its headers have arrived; handlers and interceptors find it under `callKey`. */
export interface Call {
  /** A lowercase UUID version 7, sent as `x-request-id`. */
  readonly requestId: string
  /** From `performance.now()`. */
  readonly startedMs: number
  /** The names in the caller's certificate. Undefined without certificates. */
  readonly names: readonly string[] | undefined
  /** The caller's name from the certificate. Undefined without certificates. */
  caller: string | undefined
  /** How the call ended: `ok` or a Connect code name such as `not_found`. Undefined before a handler has ended. */
  code: string | undefined
  /** The lead that the call has stored. */
  stored?: StoredFacts | undefined
}

/** Facts about a finished call, for the log and the metrics. No content. */
export interface CallSummary extends Partial<CallerIds>, Partial<StoredFacts> {
  requestId: string
  /** The full name of the service, such as `leadintake.v1.LeadIntakeService`; `unknown` for an unknown path. */
  service: string
  /** The name of the method, such as `SubmitLead`; `unknown` for an unknown path. */
  method: string
  /** `ok`, a Connect code name, `canceled` (the caller left first) or `refused` (by Connect, before a handler). */
  code: string
  /** From the arrival of the headers to the end of the answer. */
  seconds: number
  /** The name in the caller's certificate. Undefined without certificates. */
  caller: string | undefined
}

/** A call that begins now. */
export function createCall(names: readonly string[] | undefined): Call {
  return { requestId: randomUUIDv7(), startedMs: performance.now(), names, caller: names?.[0], code: undefined }
}

/** Sums up a call that ends now. */
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

/** The key of the call that a handler serves. The default is for tests without a listener. */
export const callKey = createContextKey<Call>(createCall(undefined))
