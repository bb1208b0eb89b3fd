import type { OutgoingHttpHeaders } from 'node:http'
import { LeadError } from '../lead/error.ts'
import { problemMediaType, problemRow, renderProblem } from '../problem/document.ts'
import { type ProblemCode, problemTable } from '../problem/table.ts'
import { ProblemError } from './problem-error.ts'

/** An error as the public listener answers it. */
export interface ProblemAnswer {
  code: ProblemCode
  status: number
  headers: OutgoingHttpHeaders
  body: string
}

/** How long to wait where nothing better is known. */
const retryAfterSecondsByDefault = 2

/**
 * Renders whatever was thrown as a problem (RFC 9457). `unexpected` is called for what has no place in the problem
 * table; nothing of it reaches the caller.
 */
export function answerProblem(
  error: unknown,
  { baseUrl, requestId, unexpected }: { baseUrl: string; requestId: string; unexpected(error: unknown): void },
): ProblemAnswer {
  const known = error instanceof ProblemError || (error instanceof LeadError && Object.hasOwn(problemTable, error.code))
  if (!known) unexpected(error)
  const code = known ? (error.code as ProblemCode) : 'internal_error'
  const { status } = problemRow(code)
  const lead = error instanceof LeadError ? error : undefined
  return {
    code,
    status,
    headers: {
      'Content-Type': problemMediaType,
      'Content-Language': 'en',
      'Cache-Control': 'no-store',
      ...(status === 503 && { 'Retry-After': String(lead?.retryAfterSeconds ?? retryAfterSecondsByDefault) }),
      ...(error instanceof ProblemError && error.headers),
    },
    body: renderProblem(baseUrl, {
      code,
      requestId,
      detail: error instanceof ProblemError ? error.detail : lead?.message,
      faults: lead?.faults ?? [],
    }),
  }
}
