import { type Fault, LeadError } from '../lead/error.ts'
import { problemMediaType, problemType, type RenderProblem } from '../problem/document.ts'
import { isPublicCode, type ProblemCode, problemTable, retryAfterDefaultSeconds } from '../problem/table.ts'
import { type Particulars, ProblemError } from './problem-error.ts'
import type { HeaderFields, Route } from './routes.ts'

/** The fields of every problem. They override the fields of the path's other answers. */
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

/** Renders any thrown value as a problem (RFC 9457). `unexpected` gets the errors that no caller may see. */
export function answerProblem(
  error: unknown,
  { render, requestId, unexpected }: { render: RenderProblem; requestId: string; unexpected(error: unknown): void },
) {
  const known = describe(error)
  if (!known) unexpected(error)
  const { fields, ...particulars } = known ?? { code: 'internal_error' }
  const { code, allowedMethods } = particulars
  const { status } = problemTable[code]
  const retryAfterSeconds = particulars.retryAfterSeconds ?? (status === 503 ? retryAfterDefaultSeconds : undefined)
  return {
    code,
    status,
    fields: {
      ...problemFields,
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
      ...(allowedMethods && { Allow: allowedMethods.join(', ') }),
      ...fields,
    },
    body: render({ ...particulars, retryAfterSeconds, requestId }),
  }
}

/** What is known about an error. Undefined: it is not in the problem table. */
function describe(error: unknown): (Particulars & { code: ProblemCode; faults?: readonly Fault[] }) | undefined {
  if (error instanceof ProblemError) return { code: error.code, ...error.particulars }
  if (!(error instanceof LeadError && isPublicCode(error.code))) return undefined
  const { code, message: detail, hint, faults, retryAfterSeconds } = error
  return { code, detail, hint, faults, retryAfterSeconds }
}
