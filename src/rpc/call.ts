import { createContextKey } from '@connectrpc/connect'
import type { CallerIds } from '../caller-ids.ts'

/** One call. Created when its headers have arrived; handlers and interceptors find it under `callKey`. */
export interface Call {
  /** A lowercase UUID version 7, sent as `x-request-id`. */
  readonly requestId: string
  /** The names in the caller's certificate. Undefined without certificates. */
  readonly names: readonly string[] | undefined
  /** Whether the path names a method. If not, the handler of another method renders the refusal. */
  readonly isKnown: boolean
  /** The caller's name from the certificate. Undefined before the gate has run, and without certificates. */
  caller: string | undefined
  /** Aborted when the call is given up: at its deadline, a stream also at shutdown. Undefined before the gate has run. */
  signal: AbortSignal | undefined
  /** How the handler ended: `ok` or a Connect code name such as `not_found`. Undefined while it runs. */
  code: string | undefined
}

/** Facts about a finished call, for the log and the metrics. No content. */
export interface CallSummary extends Partial<CallerIds> {
  requestId: string
  /** The full name of the service, such as `leadintake.v1.LeadIntakeService`; `unknown` for an unknown path. */
  service: string
  /** The name of the method, such as `SubmitLead`; `unknown` for an unknown path. */
  method: string
  /** `ok` or a Connect code name. `canceled` when the caller disconnected first. */
  code: string
  /** From the arrival of the headers to the end of the answer. */
  seconds: number
  /** The name in the caller's certificate. Undefined without certificates. */
  caller: string | undefined
}

/** The call that a handler serves. The in-memory transport has no listener to create one, so it gets the nil UUID. */
export const callKey = createContextKey<Call>({
  requestId: '00000000-0000-0000-0000-000000000000',
  names: undefined,
  isKnown: true,
  caller: undefined,
  signal: undefined,
  code: undefined,
})
