import type { Occurrence } from '../lead/error.ts'
import { fillWords } from '../template.ts'
import { wordingPlaces } from '../words/problems.ts'
import { type InternalCode, isPublicCode, type ProblemCode, problemTable, type Retry } from './table.ts'

/** The media type of all errors (RFC 9457 §3). It has no charset parameter. */
export const problemMediaType = 'application/problem+json'

const faultsMax = 50

/** One occurrence of a problem. Absent texts come from the problem table. */
export interface ProblemOccurrence extends Occurrence {
  code: ProblemCode | InternalCode
  /** Overrides the table, for a lead that went to the wrong path. */
  retry?: Retry | undefined
  allowedMethods?: readonly string[] | undefined
}

export type Problem = ReturnType<typeof createProblem>

/** What callers are told about the business: `{{contact}}` in hints, and the wording in problems about it. */
export interface BusinessNotice {
  phone: string
  email: string
  consent: { version: string; wording: string; url: string }
}

/** Replaces `{{contact}}` where the business is not known. */
export const genericContact = 'the phone number and e-mail address of the business'

export type Transport = keyof typeof wordingPlaces

/** Fills in how a customer reaches the business, and where the reader finds the wording. */
export function fillForReader(text: string, transport: Transport, business?: BusinessNotice): string {
  const contact = business ? `${business.phone} and ${business.email}` : genericContact
  return fillWords(text, { contact, wordingPlace: wordingPlaces[transport] })
}

/** The URL of a code's page: the problem's `type` (RFC 9457 §3.1.1). */
export const problemType = (baseUrl: string, code: string) => `${baseUrl}/problems/${code}`

/** Builds a problem, with the wording if a hint mentions it. `business` may be missing if no submission is answered. */
export function createProblem(
  baseUrl: string,
  requestId: string,
  occurrence: ProblemOccurrence,
  transport: Transport,
  business?: BusinessNotice,
) {
  const { code, detail, hint, retry, faults = [], retryAfterSeconds, allowedMethods } = occurrence
  const row = problemTable[code]
  const hints = [hint ?? row.hint, ...faults.map((fault) => fault.hint)]
  const fill = (text: string) => fillForReader(text, transport, business)
  const errors = faults.slice(0, faultsMax).map((fault) => ({ ...fault, hint: fill(fault.hint) }))
  return {
    // Without a public page, the type is `about:blank` (RFC 9457 §4.2.1).
    type: isPublicCode(code) ? problemType(baseUrl, code) : undefined,
    title: row.title,
    status: row.status ?? undefined,
    detail: detail ?? row.detail,
    instance: `urn:uuid:${requestId}`,
    code,
    hint: fill(hint ?? row.hint),
    retryable: row.retryable,
    retry: retry ?? row.retry,
    retryAfterSeconds,
    allowedMethods,
    errors: faults.length > 0 ? errors : undefined,
    errorsOmitted: faults.length > faultsMax ? faults.length - faultsMax : undefined,
    consent: hints.some((text) => text.includes('{{wordingPlace}}')) ? business?.consent : undefined,
  }
}

export type RenderProblem = (requestId: string, occurrence: ProblemOccurrence) => string

/** Creates the function that renders REST's problems as JSON. `error` repeats `detail` for older clients. */
export function createProblemRenderer(baseUrl: string, business?: BusinessNotice): RenderProblem {
  return (requestId, occurrence) => {
    const problem = createProblem(baseUrl, requestId, occurrence, 'rest', business)
    return JSON.stringify({ ...problem, error: problem.detail })
  }
}
