import { LeadError } from '../lead/error.ts'
import { fillSentence } from '../lead/sentences.ts'
import { type ProblemOccurrence, problemMediaType, problemType, type RenderProblem } from '../problem/document.ts'
import { isPublicCode, type ProblemCode, problemTable, retryAfterDefaultSeconds } from '../problem/table.ts'
import { details, hints } from '../words/problems.ts'
import type { HeaderFields, Route } from './routes.ts'

interface RestProblem extends ProblemOccurrence {
  code: ProblemCode
  /** Header fields of the answer, beyond those of every problem. */
  fields?: HeaderFields
}

/** A problem that REST itself finds. Thrown, but not an `Error`, because a stack makes a 429 costlier. */
export class Refusal {
  readonly problem: RestProblem

  constructor(code: ProblemCode, particulars: Omit<RestProblem, 'code'> = {}) {
    this.problem = { code, ...particulars }
  }
}

export function methodNotAllowed(allowed: readonly string[], method = ''): Refusal {
  return new Refusal('method_not_allowed', {
    detail: fillSentence(details.method, { method, allow: allowed.join(', ') }),
    hint: allowed.includes('POST') ? fillSentence(hints.submit) : hintOfPost(method),
    allowedMethods: allowed,
  })
}

/** Paths of callers who want to change or look up an existing lead or visit. */
const pathAboutStored =
  /\/(?:leads|bookings?|appointments?|visits?)\/+[^/]*\d|cancel|reschedule|delete|erase|remove|forget|status|unsubscribe|opt-?out/i

/** The refusal of an unknown path. The hint says how to send a lead, or that a lead cannot be read. */
export function pathNotFound(method: string | undefined, path: string): Refusal {
  const hint = pathAboutStored.test(path) ? fillSentence(hints.stored) : hintOfPost(method)
  return new Refusal('not_found', { hint, retry: method === 'POST' ? 'after_correction' : undefined })
}

const hintOfPost = (method: string | undefined) => (method === 'POST' ? fillSentence(hints.post) : undefined)

interface ProblemContext {
  baseUrl: string
  render: RenderProblem
  requestId: string
  route?: Route | undefined
  onError?(error: unknown, requestId: string): void
}

/** Renders any thrown value as a problem (RFC 9457). Its fields override those of the path's other answers. */
export function answerProblem(error: unknown, { baseUrl, render, requestId, route, onError }: ProblemContext) {
  const described = describe(error)
  if (!described) onError?.(error, requestId)
  const { fields, ...particulars } = described ?? { code: 'internal_error' }
  const { code, allowedMethods } = particulars
  const { status } = problemTable[code]
  const retryAfterSeconds = particulars.retryAfterSeconds ?? (status === 503 ? retryAfterDefaultSeconds : undefined)
  return {
    code,
    status,
    fields: {
      'Content-Type': problemMediaType,
      'Content-Language': 'en',
      'Cache-Control': 'no-store',
      ...(route?.takesLeads && { Link: linkOf(baseUrl, route, code) }),
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
      ...(allowedMethods && { Allow: allowedMethods.join(', ') }),
      ...fields,
    },
    body: render(requestId, { ...particulars, retryAfterSeconds }),
  }
}

/** Links to the API description and the code's page (RFC 8288, RFC 8631), after the path's own links. */
function linkOf(baseUrl: string, { fields: { Link } }: Route, code: ProblemCode): string {
  const ownLinks = Link === undefined ? '' : `${Link}, `
  return `${ownLinks}<${baseUrl}/openapi.json>; rel="service-desc", <${problemType(baseUrl, code)}>; rel="help"`
}

/** What is known about an error. Undefined if it is not in the problem table. */
function describe(error: unknown): RestProblem | undefined {
  if (error instanceof Refusal) return error.problem
  if (!(error instanceof LeadError && isPublicCode(error.code))) return undefined
  const { code, message: detail, hint, faults, retryAfterSeconds } = error
  return { code, detail, hint, faults, retryAfterSeconds }
}
