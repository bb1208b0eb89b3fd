import { sentence } from '../lead/sentences.ts'
import { aliasPath, leadsPath } from '../public-paths.ts'
import { situations } from '../words/problems.ts'
import { ProblemError } from './problem-error.ts'

/** The problem of a method that a path does not support. `method` is undefined when it is not one that Node knows. */
export function methodNotAllowed(allow: string, method?: string): ProblemError {
  return new ProblemError('method_not_allowed', {
    detail: sentence(situations.method_detail, { method: method ?? 'The method', allow }),
    hint: allow.includes('POST')
      ? sentence(situations.submit)
      : method === 'POST'
        ? sentence(situations.post)
        : undefined,
    allowedMethods: allow.split(', '),
  })
}

/** The problem of a path that does not exist. The hint says how to send a lead, or that a lead cannot be read. */
export function pathNotFound(method: string | undefined, path = ''): ProblemError {
  if (method === 'POST')
    return new ProblemError('not_found', { hint: sentence(situations.post), retry: 'after_correction' })
  const isLead = path.startsWith(`${leadsPath}/`) || path.startsWith(`${aliasPath}/`)
  return new ProblemError('not_found', { hint: isLead ? sentence(situations.stored) : undefined })
}
