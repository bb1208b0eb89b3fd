import { leadShape } from '../lead/rules.ts'
import type { ProblemOccurrence } from '../problem/document.ts'
import type { ProblemCode } from '../problem/table.ts'
import { aliasPath, leadsPath } from '../public-paths.ts'
import type { HeaderFields } from './header-fields.ts'

/** What one occurrence adds to its row in the problem table. */
type Particulars = Omit<ProblemOccurrence, 'code' | 'requestId' | 'faults'>

/** A problem that only the public listener reports, with the header fields that its answer must have. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  readonly particulars: Particulars
  readonly fields: HeaderFields
  /** The rendered problem, cut at the request's id. Set by its first answer. */
  parts: readonly string[] | undefined

  constructor(code: ProblemCode, { fields = [], ...particulars }: Particulars & { fields?: HeaderFields } = {}) {
    super(particulars.detail ?? code)
    this.code = code
    this.particulars = particulars
    this.fields = fields
  }
}

/** The problem of a method that a path does not support. `method` is undefined when it is not one that Node knows. */
export function methodNotAllowed(allow: string, method?: string): ProblemError {
  return new ProblemError('method_not_allowed', {
    detail: `${method ?? 'The method'} is not allowed here. Allowed: ${allow}.`,
    ...(allow.includes('POST') ? { hint: leadHint } : method === 'POST' ? postHint : {}),
    allowedMethods: allow.split(', '),
    fields: ['Allow', allow],
  })
}

const leadHint = `A lead is sent with POST and cannot be read, changed or deleted. There is no status to poll. A new one goes to POST ${leadsPath}; to change or cancel one, the customer calls {{phone}}.`
const postHint = {
  hint: `Send the same body with POST ${leadsPath} if it has exactly the fields that follow; otherwise write one that has. It was not read here. ${leadShape} There is nothing else to post: no registration, token, GraphQL, RPC or MCP. To change or cancel a request, the customer calls {{phone}}.`,
  showsWording: true,
}

/** The problem of a path that does not exist. The hint says how to send a lead, or that a lead cannot be read. */
export function pathNotFound(method: string | undefined, path = ''): ProblemError {
  if (method === 'POST') return new ProblemError('not_found', { ...postHint, retry: 'after_correction' })
  const isLead = path.startsWith(`${leadsPath}/`) || path.startsWith(`${aliasPath}/`)
  return new ProblemError('not_found', { hint: isLead ? leadHint : undefined })
}
