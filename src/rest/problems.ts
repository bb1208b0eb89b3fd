import { type HeaderFields, headerFields, mergeHeaderFields } from '../header-fields.ts'
import { LeadError } from '../lead/error.ts'
import { problemMediaType, problemRow, problemType, type RenderProblem } from '../problem/document.ts'
import { isPublicCode, type ProblemCode, problemCodes } from '../problem/table.ts'
import type { Answer } from './answer.ts'
import { ProblemError } from './problem-error.ts'
import type { Route } from './routes.ts'

/** An error as the public listener answers it. */
export interface ProblemAnswer extends Answer {
  code: ProblemCode
  body: string
}

/** The fields of every problem, whatever its path says of other answers. */
const problemFields: HeaderFields = headerFields({
  'Content-Type': problemMediaType,
  'Content-Language': 'en',
  'Cache-Control': 'no-store',
})

/** The fields of a path's problem with this code. */
export type ProblemFields = (code: ProblemCode) => HeaderFields

/**
 * Makes the function that gives the fields of a path's problems. On the lead paths they link to the description of the
 * API and to the code's own page (RFC 8288, RFC 8631), in one `Link` field with the links that the path has.
 */
export function createProblemFields(baseUrl: string, common: HeaderFields, route: Route | undefined): ProblemFields {
  const fields = mergeHeaderFields(common, route?.fields ?? [], problemFields)
  if (!route?.linksProblems) return () => fields
  const own = route.fields[route.fields.indexOf('Link') + 1]
  const links = route.fields.includes('Link') ? [own] : []
  const byCode = new Map(
    problemCodes.map((code) => {
      const help = `<${problemType(baseUrl, code)}>; rel="help"`
      const link = [...links, `<${baseUrl}/openapi.json>; rel="service-desc"`, help].join(', ')
      return [code, mergeHeaderFields(fields, ['Link', link])]
    }),
  )
  return (code) => byCode.get(code) ?? fields
}

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
    const { code, particulars, fields } = error
    return { code, status: problemRow(code).status, fields, body: render({ ...particulars, code, requestId }) }
  }
  if (error instanceof LeadError && isPublicCode(error.code)) {
    const { code, message: detail, faults } = error
    const { status } = problemRow(code)
    const retryAfterSeconds = status === 503 ? (error.retryAfterSeconds ?? retryAfterSecondsByDefault) : undefined
    const fields = retryAfterSeconds === undefined ? [] : ['Retry-After', String(retryAfterSeconds)]
    return { code, status, fields, body: render({ code, requestId, detail, faults, retryAfterSeconds }) }
  }
  unexpected(error)
  const code = 'internal_error'
  return { code, status: problemRow(code).status, fields: [], body: render({ code, requestId }) }
}
