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
export type RenderProblem = (occurrence: ProblemOccurrence) => string

/** Makes the renderer: what all occurrences of a code have in common is written once. */
export function createProblemRenderer(baseUrl: string): RenderProblem {
  const texts = new Map(
    Object.entries(problemTable).map(([code, { title, status, hint, retryable }]) => {
      const start = openJson({ type: problemType(baseUrl, code), title, status })
      const end = openJson({ code, hint, retryable }).slice(1)
      return [code, { start, end }]
    }),
  )
  return ({ code, requestId, detail = problemRow(code).detail, faults = [] }) => {
    const { start, end } = texts.get(code) as { start: string; end: string }
    const text = JSON.stringify(detail)
    const errors = faults.length > 0 ? `,"errors":${JSON.stringify(faults)}` : ''
    return `${start},"detail":${text},"instance":"urn:uuid:${requestId}",${end},"error":${text}${errors}}`
  }
}

/** JSON text of an object that goes on: without its closing brace. */
function openJson(value: object): string {
  return JSON.stringify(value).slice(0, -1)
}
