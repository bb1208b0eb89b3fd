import { LeadError } from '../lead/error.ts'
import { problemMediaType, problemType, type RenderProblem } from '../problem/document.ts'
import { isPublicCode, type ProblemCode, problemCodes, problemTable } from '../problem/table.ts'
import type { Answer } from './answer.ts'
import { type HeaderFields, headerFields, mergeHeaderFields } from './header-fields.ts'
import { ProblemError } from './problem-error.ts'
import type { Route } from './routes.ts'

/** An error as an answer of the public listener. */
export interface ProblemAnswer extends Answer {
  code: ProblemCode
  body: string
}

/** The fields of every problem. They override the fields of the path's other answers. */
export const problemFields: HeaderFields = headerFields({
  'Content-Type': problemMediaType,
  'Content-Language': 'en',
  'Cache-Control': 'no-store',
})

/** Returns the fields of a path's problem with this code. */
export type FieldsByCode = (code: ProblemCode) => HeaderFields

/**
 * Creates the function that returns the fields of a path's problems. On lead paths, problems link to the API
 * description and to the page about their code (RFC 8288, RFC 8631), in one `Link` field together with the path's own
 * links.
 */
export function createFieldsByCode(baseUrl: string, common: HeaderFields, route: Route | undefined): FieldsByCode {
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

/** Stands for the request's id in a problem that many requests share (RFC 9562 §5.9). */
const nilId = '00000000-0000-0000-0000-000000000000'

/** `Retry-After` in seconds, for an error that names none. */
const retryAfterSecondsByDefault = 2

/**
 * Renders any thrown value as a problem (RFC 9457), with its fields beyond `problemFields`. Calls `unexpected` for
 * errors that are not in the problem table; nothing about those reaches the caller.
 */
export function answerProblem(
  error: unknown,
  { render, requestId, unexpected }: { render: RenderProblem; requestId: string; unexpected(error: unknown): void },
): ProblemAnswer {
  if (error instanceof ProblemError) {
    const { code, particulars, fields } = error
    error.parts ??= render({ ...particulars, code, requestId: nilId }).split(nilId)
    return { code, status: problemTable[code].status, fields, body: error.parts.join(requestId) }
  }
  if (error instanceof LeadError && isPublicCode(error.code)) {
    const { code, message: detail, hint, faults } = error
    const { status } = problemTable[code]
    const retryAfterSeconds = status === 503 ? (error.retryAfterSeconds ?? retryAfterSecondsByDefault) : undefined
    const fields = retryAfterSeconds === undefined ? [] : ['Retry-After', String(retryAfterSeconds)]
    return { code, status, fields, body: render({ code, requestId, detail, hint, faults, retryAfterSeconds }) }
  }
  unexpected(error)
  const code = 'internal_error'
  return { code, status: problemTable[code].status, fields: [], body: render({ code, requestId }) }
}
