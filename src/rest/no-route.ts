import { leadShape } from '../lead/rules.ts'
import { aliasPath, leadsPath } from '../public-paths.ts'
import { ProblemError } from './problem-error.ts'

/** The problem of a method that a path does not support. `method` is undefined when it is not one that Node knows. */
export function methodNotAllowed(allow: string, method?: string): ProblemError {
  return new ProblemError('method_not_allowed', {
    detail: `${method ?? 'The method'} is not allowed here. Allowed: ${allow}.`,
    ...(allow.includes('POST') ? submitHint : method === 'POST' ? postHint : {}),
    allowedMethods: allow.split(', '),
  })
}

const leadHint = `A lead is sent with POST and cannot be read, changed or deleted. A new one is the JSON body of a POST ${leadsPath}`
const contactHint = '; to change or cancel one, give the customer {{contact}}.'
const submitHint = { hint: `${leadHint}. ${leadShape}`, showsWording: true }
const postHint = {
  hint: `Send the same body with POST ${leadsPath}, as JSON, if it has exactly the fields that follow; otherwise write one that has. ${leadShape} There is nothing else to post: no registration, token, GraphQL, RPC or MCP.`,
  showsWording: true,
}

/** The problem of a path that does not exist. The hint says how to send a lead, or that a lead cannot be read. */
export function pathNotFound(method: string | undefined, path = ''): ProblemError {
  if (method === 'POST') return new ProblemError('not_found', { ...postHint, retry: 'after_correction' })
  const isLead = path.startsWith(`${leadsPath}/`) || path.startsWith(`${aliasPath}/`)
  return new ProblemError('not_found', { hint: isLead ? leadHint + contactHint : undefined })
}
