import type { IncomingMessage } from 'node:http'
import { situations } from '../words/problems.ts'
import { ProblemError } from './problem-error.ts'

/** A host with an optional port (RFC 3986 §3.2.2, §3.2.3). Only its characters are checked. */
const authority = /(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._~!$&'()*+,;=%-]{1,255})(?::\d{0,5})?/.source
const host = new RegExp(`^${authority}$`)
/** The part of an absolute-form target before its path. */
const absoluteStart = new RegExp(`^https?://${authority}(?=/|$)`, 'i')

/** The path of a target (RFC 9112 §3.2): of `/path?query`, `http://host/path?query` or `*`. Undefined: another form. */
export function pathOf({ url = '' }: Pick<IncomingMessage, 'url'>): string | undefined {
  const [path = ''] = url.split('?', 1)
  if (path.startsWith('/') || url === '*') return path
  const start = absoluteStart.exec(path)?.[0]
  return start === undefined ? undefined : path.slice(start.length) || '/'
}

/** Returns the path. Refuses an invalid target, and a request that does not name exactly one host (RFC 9112 §3.2). */
export function requireTarget(request: IncomingMessage, path: string | undefined): string {
  const detail = targetFault(request, path)
  if (path === undefined || detail) throw new ProblemError('bad_request', { detail })
  return path
}

function targetFault(request: IncomingMessage, path: string | undefined): string | undefined {
  if (path === undefined) return situations.no_target
  const [field, ...more] = request.headersDistinct.host ?? []
  if (field === undefined) return request.httpVersion === '1.1' ? situations.no_host : undefined
  if (!host.test(field)) return situations.bad_host
  return more.length > 0 ? situations.two_hosts : undefined
}
