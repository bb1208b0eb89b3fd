import { createContextKey } from '@connectrpc/connect'

/** One call, from the moment its headers have arrived. Handlers and interceptors find it by `callKey`. */
export interface Call {
  /** A UUID version 7 in lower case: the answer's `x-request-id`. */
  readonly requestId: string
  /** The caller's network address as text; undefined when the connection is gone already. */
  readonly peer: string | undefined
  /** The names in the caller's certificate; undefined without certificates. */
  readonly names: readonly string[] | undefined
  /** Whether the path is that of a method. If not, a handler of another method only renders the refusal. */
  readonly isKnown: boolean
  /** Who calls, by a name in the certificate; undefined until the gate has looked, and without certificates. */
  caller: string | undefined
  /** How the handler ended: `ok` or a Connect code name such as `not_found`; undefined until then. */
  code: string | undefined
}

/** What `onCall` gets of each call that has ended: facts for the log and the metrics, no content. */
export interface CallSummary {
  requestId: string
  /** The full name of the service, such as `leadintake.v1.LeadIntakeService`; `unknown` for an unknown path. */
  service: string
  /** The name of the method, such as `SubmitLead`; `unknown` for an unknown path. */
  method: string
  /** `ok` or a Connect code name; `canceled` when the caller went away first. */
  code: string
  /** From the arrival of the headers to the end of the answer. */
  seconds: number
  peer: string | undefined
  /** The name in the caller's certificate; undefined without certificates. */
  caller: string | undefined
  /** Undefined while traces are off. */
  traceId: string | undefined
}

/** The call that a handler serves. A transport in memory has no listener to make one, and gets the nil UUID. */
export const callKey = createContextKey<Call>({
  requestId: '00000000-0000-0000-0000-000000000000',
  peer: undefined,
  names: undefined,
  isKnown: true,
  caller: undefined,
  code: undefined,
})
