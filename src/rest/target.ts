import type { IncomingMessage } from 'node:http'
import { readHeader, tooLong } from './header-bounds.ts'
import { ProblemError } from './problem-error.ts'

/** A host with or without a port (RFC 3986 §3.2.2, §3.2.3): no more is checked than its characters. */
const authority = /(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._~!$&'()*+,;=%-]{1,255})(?::\d{0,5})?/.source
const host = new RegExp(`^${authority}$`)
/** The part of an absolute-form target before its path. */
const absoluteStart = new RegExp(`^https?://${authority}(?=[/?]|$)`, 'i')

/**
 * The path of a request's target (RFC 9112 §3.2): of `/path?query`, of `http://host/path?query`, or `*` of an OPTIONS
 * request for the server as a whole. Undefined when it is none of these.
 */
export function pathOf({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): string | undefined {
  if (url.startsWith('/')) return withoutQuery(url)
  if (url === '*') return method === 'OPTIONS' ? url : undefined
  const start = absoluteStart.exec(url)?.[0]
  return start === undefined ? undefined : withoutQuery(url.slice(start.length)) || '/'
}

function withoutQuery(target: string): string {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}

/** Refuses a target that is none, and a request that does not name one host (RFC 9112 §3.2). */
export function requireTarget(request: IncomingMessage, path: string | undefined): void {
  if (path === undefined) {
    throw new ProblemError('bad_request', { detail: 'The target is neither a path nor an http or https URL.' })
  }
  const field = readHeader(request, 'host')
  if (field === undefined) {
    if (request.httpVersion !== '1.1') return
    throw new ProblemError('bad_request', { detail: 'The Host header is missing.' })
  }
  if (field === tooLong || !host.test(field)) {
    throw new ProblemError('bad_request', { detail: 'The Host header is not a host with or without a port.' })
  }
  if (countLines(request.rawHeaders, 'host') > 1) {
    throw new ProblemError('bad_request', { detail: 'The request has more than one Host header.' })
  }
}

/** How many lines have a name. Of those that may stand once, Node shows the first. */
function countLines(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const other = rawHeaders[at] as string
    if (other.length === name.length && other.toLowerCase() === name) count++
  }
  return count
}
