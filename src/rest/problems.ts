import { LeadError } from '../lead/error.ts'
import { problemMediaType, problemType, type RenderProblem } from '../problem/document.ts'
import { isPublicCode, type ProblemCode, problemTable, retryAfterDefaultSeconds } from '../problem/table.ts'
import { ProblemError } from './problem-error.ts'
import type { HeaderFields, Route } from './routes.ts'

/** An error as an answer of the public listener. */
export interface ProblemAnswer {
  code: ProblemCode
  status: number
  /** These override the fields of the path's other answers. */
  fields: HeaderFields
  body: string
}

/** The fields of every problem. */
const problemFields = {
  'Content-Type': problemMediaType,
  'Content-Language': 'en',
  'Cache-Control': 'no-store',
}

/**
 * The `Link` of a problem on a lead path: to the API description and to the page about its code (RFC 8288, RFC 8631),
 * in one field together with the path's own links.
 */
export function linkOfProblem(baseUrl: string, { fields, linksProblems }: Route, code: ProblemCode): HeaderFields {
  if (!linksProblems) return {}
  const own = fields.Link === undefined ? '' : `${fields.Link}, `
  return { Link: `${own}<${baseUrl}/openapi.json>; rel="service-desc", <${problemType(baseUrl, code)}>; rel="help"` }
}

/** Stands for the request's id in a problem that many requests share (RFC 9562 §5.9). */
const nilId = '00000000-0000-0000-0000-000000000000'

/**
 * Renders any thrown value as a problem (RFC 9457). Calls `unexpected` for errors that are not in the problem table;
 * nothing about those reaches the caller.
 */
export function answerProblem(
  error: unknown,
  { render, requestId, unexpected }: { render: RenderProblem; requestId: string; unexpected(error: unknown): void },
): ProblemAnswer {
  if (error instanceof ProblemError) {
    const { code, particulars, fields } = error
    error.parts ??= render({ ...particulars, code, requestId: nilId }).split(nilId)
    return answer(code, fields, error.parts.join(requestId))
  }
  if (error instanceof LeadError && isPublicCode(error.code)) {
    const { code, message: detail, hint, faults } = error
    const { status } = problemTable[code]
    const retryAfterSeconds = status === 503 ? (error.retryAfterSeconds ?? retryAfterDefaultSeconds) : undefined
    const fields: HeaderFields = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }
    return answer(code, fields, render({ code, requestId, detail, hint, faults, retryAfterSeconds }))
  }
  unexpected(error)
  return answer('internal_error', {}, render({ code: 'internal_error', requestId }))
}

function answer(code: ProblemCode, fields: HeaderFields, body: string): ProblemAnswer {
  return { code, status: problemTable[code].status, fields: { ...problemFields, ...fields }, body }
}
