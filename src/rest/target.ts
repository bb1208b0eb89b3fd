import type { IncomingMessage } from 'node:http'
import { readHeader, tooLong } from './header-bounds.ts'
import { ProblemError } from './problem-error.ts'

/** A host with an optional port (RFC 3986 §3.2.2, §3.2.3). Only its characters are checked. */
const authority = /(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._~!$&'()*+,;=%-]{1,255})(?::\d{0,5})?/.source
const host = new RegExp(`^${authority}$`)
/** The part of an absolute-form target before its path. */
const absoluteStart = new RegExp(`^https?://${authority}(?=[/?]|$)`, 'i')

/**
 * The path of a request target (RFC 9112 §3.2): of `/path?query`, of `http://host/path?query`, or `*` for an OPTIONS
 * request about the whole server. Undefined when it is none of these.
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

/** The last valid host. Most requests name the same one. */
let lastHost = ''

/** Refuses an invalid target, and a request that does not name exactly one host (RFC 9112 §3.2). */
export function requireTarget(request: IncomingMessage, path: string | undefined): void {
  if (path === undefined) {
    throw new ProblemError('bad_request', { detail: 'The target is neither a path nor an http or https URL.' })
  }
  const field = readHeader(request, 'host')
  if (field === undefined) {
    if (request.httpVersion !== '1.1') return
    throw new ProblemError('bad_request', { detail: 'The Host header is missing.' })
  }
  if (field === tooLong || (field !== lastHost && !host.test(field))) {
    throw new ProblemError('bad_request', { detail: 'The Host header is not a host with or without a port.' })
  }
  lastHost = field
  if (countLines(request.rawHeaders, 'host') > 1) {
    throw new ProblemError('bad_request', { detail: 'The request has more than one Host header.' })
  }
}

/** Counts the lines of a header. Node shows only the first line of a header that may occur once. */
function countLines(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const other = rawHeaders[at] as string
    if (other.length === name.length && other.toLowerCase() === name) count++
  }
  return count
}
