import { type HeaderFields, headerFields } from '../header-fields.ts'
import { LeadError } from '../lead/error.ts'
import { problemMediaType, problemRow, type RenderProblem } from '../problem/document.ts'
import { type ProblemCode, problemTable } from '../problem/table.ts'
import type { Answer } from './answer.ts'
import { ProblemError } from './problem-error.ts'

/** An error as the public listener answers it. */
export interface ProblemAnswer extends Answer {
  code: ProblemCode
  body: string
}

/** The fields of every problem, whatever its path says of other answers. */
export const problemFields: HeaderFields = headerFields({
  'Content-Type': problemMediaType,
  'Content-Language': 'en',
  'Cache-Control': 'no-store',
})

/** How long to wait where nothing better is known. */
const retryAfterSecondsByDefault = 2

/**
 * Renders whatever was thrown as a problem (RFC 9457), with the fields it has beside `problemFields`. `unexpected` is
 * called for what has no place in the problem table; nothing of it reaches the caller.
 */
export function answerProblem(
  error: unknown,
  { render, requestId, unexpected }: { render: RenderProblem; requestId: string; unexpected(error: unknown): void },
): ProblemAnswer {
  if (error instanceof ProblemError) {
    const { code, detail, fields } = error
    return { code, status: problemRow(code).status, fields, body: render({ code, requestId, detail }) }
  }
  if (error instanceof LeadError && Object.hasOwn(problemTable, error.code)) {
    const code = error.code as ProblemCode
    const { status } = problemRow(code)
    const { message: detail, faults, retryAfterSeconds = retryAfterSecondsByDefault } = error
    const fields = status === 503 ? ['Retry-After', String(retryAfterSeconds)] : []
    return { code, status, fields, body: render({ code, requestId, detail, faults }) }
  }
  unexpected(error)
  const code = 'internal_error'
  return { code, status: problemRow(code).status, fields: [], body: render({ code, requestId }) }
}
