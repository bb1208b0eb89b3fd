import type { IncomingMessage } from 'node:http'
import { details } from '../words/problems.ts'
import { Refusal } from './problems.ts'

/** A host with an optional port (RFC 3986 §3.2.2, §3.2.3). Only its characters are checked. */
const authority = /(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._~!$&'()*+,;=%-]{1,255})(?::\d{0,5})?/.source
const host = new RegExp(`^${authority}$`)
/** The part of an absolute-form target before its path. */
const absoluteStart = new RegExp(`^https?://${authority}(?=/|$)`, 'i')

/** The path of a target `/path?query` or `http://host/path?query`, if it has such a form (RFC 9112 §3.2). */
export function pathOf({ url = '' }: IncomingMessage): string | undefined {
  const [path = ''] = url.split('?', 1)
  if (path.startsWith('/')) return path
  const start = absoluteStart.exec(path)?.[0]
  return start === undefined ? undefined : path.slice(start.length) || '/'
}

/** Returns the path. Refuses an invalid target, and a request that does not name exactly one host (RFC 9112 §3.2). */
export function requireTarget(req: IncomingMessage, path: string | undefined): string {
  if (path === undefined) throw new Refusal('bad_request', { detail: details.no_target })
  const hosts = req.rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length
  const isOne = hosts === 0 ? req.httpVersion !== '1.1' : hosts === 1 && host.test(`${req.headers.host}`)
  if (!isOne) throw new Refusal('bad_request', { detail: details.one_host })
  return path
}
