import type { Fault } from '../lead/error.ts'
import { type ProblemCode, type ProblemRow, problemTable } from './table.ts'

/** The media type of every error (RFC 9457 §3). It has no charset parameter. */
export const problemMediaType = 'application/problem+json'

/** One occurrence of a problem. */
export interface ProblemOccurrence {
  code: ProblemCode
  /** The id of the request, a UUID: becomes `instance`. */
  requestId: string
  /** What went wrong this time; the table's words when absent. Never a submitted value. */
  detail?: string | undefined
  faults?: readonly Fault[]
}

/** The public origin's page about a code: the problem's `type` (RFC 9457 §3.1.1). */
export function problemType(baseUrl: string, code: string): string {
  return `${baseUrl}/problems/${code}`
}

/** The row of a code. */
export function problemRow(code: ProblemCode): ProblemRow {
  return problemTable[code]
}

/** Renders a problem details object as JSON text (RFC 9457 §3.1, contract §5). `error` repeats `detail`. */
export function renderProblem(baseUrl: string, { code, requestId, detail, faults = [] }: ProblemOccurrence): string {
  const row = problemRow(code)
  const text = detail ?? row.detail
  return JSON.stringify({
    type: problemType(baseUrl, code),
    title: row.title,
    status: row.status,
    detail: text,
    instance: `urn:uuid:${requestId}`,
    code,
    hint: row.hint,
    retryable: row.retryable,
    error: text,
    ...(faults.length > 0 && { errors: faults }),
  })
}
