import type { Fault } from '../lead/error.ts'
import type { ConsentNotice } from './consent-notice.ts'
import { type InternalCode, isPublicCode, type ProblemCode, type PublicProblemRow, problemTable } from './table.ts'

/** The media type of every error (RFC 9457 §3). It has no charset parameter. */
export const problemMediaType = 'application/problem+json'

/** The most faults that one problem lists. */
export const faultsMax = 50

/** One occurrence of a problem. What is left out is said in the table's words. */
export interface ProblemOccurrence {
  code: ProblemCode | InternalCode
  /** The id of the request, a UUID: becomes `instance`. */
  requestId: string
  /** What went wrong this time. Never a submitted value. */
  detail?: string | undefined
  /** The next step this time. */
  hint?: string | undefined
  faults?: readonly Fault[] | undefined
  /** What `Retry-After` says. */
  retryAfterSeconds?: number | undefined
  /** What `Allow` says. */
  allowedMethods?: readonly string[] | undefined
}

/** A problem as its caller gets it, on either wire. A member that is undefined is not sent. */
export interface Problem {
  /** Undefined for a code that has no public page (RFC 9457 §4.2.1: `about:blank` is meant). */
  type: string | undefined
  title: string
  /** Undefined for a problem of RPC alone. */
  status: number | undefined
  detail: string
  instance: string
  code: ProblemCode | InternalCode
  hint: string
  retryable: boolean
  retry: 'never' | 'after_correction' | 'after_wait'
  retryAfterSeconds: number | undefined
  allowedMethods: readonly string[] | undefined
  /** At most `faultsMax`. */
  errors: readonly Fault[] | undefined
  /** How many faults are left out. */
  errorsOmitted: number | undefined
}

/** The public origin's page about a code: the problem's `type` (RFC 9457 §3.1.1). */
export function problemType(baseUrl: string, code: string): string {
  return `${baseUrl}/problems/${code}`
}

/** The row of a public code. */
export function problemRow(code: ProblemCode): PublicProblemRow {
  return problemTable[code]
}

/** Builds the problem document from the table's row and the occurrence. REST and RPC both render this object. */
export function createProblem(baseUrl: string, occurrence: ProblemOccurrence): Problem {
  const { code, requestId, detail, hint, faults = [], retryAfterSeconds, allowedMethods } = occurrence
  const row = problemTable[code]
  return {
    type: isPublicCode(code) ? problemType(baseUrl, code) : undefined,
    title: row.title,
    status: row.status ?? undefined,
    detail: detail ?? row.detail,
    instance: `urn:uuid:${requestId}`,
    code,
    hint: hint ?? row.hint,
    retryable: row.retryable,
    retry: row.retry,
    retryAfterSeconds,
    allowedMethods,
    errors: faults.length > 0 ? faults.slice(0, faultsMax) : undefined,
    errorsOmitted: faults.length > faultsMax ? faults.length - faultsMax : undefined,
  }
}

/** Renders a problem details object as JSON text (RFC 9457 §3.1). `error` repeats `detail` for older clients. */
export type RenderProblem = (occurrence: ProblemOccurrence) => string

/**
 * `consent` goes with every problem about consent, so that a caller can tell the customer the wording without reading
 * anything else. Only a renderer that never answers submissions does without it.
 */
export function createProblemRenderer(baseUrl: string, consent?: ConsentNotice): RenderProblem {
  return (occurrence) => {
    const problem = createProblem(baseUrl, occurrence)
    const { detail: error, errors } = problem
    const isAboutConsent = errors?.some(({ code }) => code === 'consent_required')
    return JSON.stringify({ ...problem, consent: isAboutConsent ? consent : undefined, error })
  }
}
