import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '../../config/internal.ts'

/**
 * Returns the reason to refuse a request that comes from a browser. Undefined: the request is fine. A web page can make
 * its visitor's browser call this machine, and with DNS rebinding (a host name that the page points at 127.0.0.1) even
 * read the answer. Browsers send `Origin` or `Sec-Fetch-Site`, or at least the page's host name.
 */
export function findBrowser(headers: IncomingHttpHeaders, loopbackOnly: boolean): string | undefined {
  if (headers.origin !== undefined) return 'The request has an Origin header, as requests from browsers have.'
  if (headers['sec-fetch-site'] !== undefined)
    return 'The request has a Sec-Fetch-Site header, as requests from browsers have.'
  const hosts = [headers[':authority'], headers.host]
  if (loopbackOnly && hosts.some((host) => host !== undefined && !isLoopback(String(host).replace(/:\d{1,5}$/, ''))))
    return 'The Host header does not name this machine. Call localhost, 127.0.0.1 or [::1].'
  return undefined
}
