import { isLoopback } from '../config/internal.ts'
import type { NodeRequest } from '../net/internal-listener.ts'

/**
 * Returns the reason to refuse a request that comes from a browser. Undefined: the request is fine. A web page can make
 * its visitor's browser call this machine, and with DNS rebinding (a host name that the page points at 127.0.0.1) even
 * read the answer. Browsers send `Origin` or `Sec-Fetch-Site`, or at least the page's host name. Without certificates and
 * on an address that is not loopback, any host name may be right, and a page's own GET has neither header.
 */
export function findBrowser(
  { method, headers }: NodeRequest,
  loopbackOnly: boolean,
  hasCertificate: boolean,
): string | undefined {
  if (headers.origin !== undefined) return 'The request has an Origin header, as requests from browsers have.'
  if (headers['sec-fetch-site'] !== undefined)
    return 'The request has a Sec-Fetch-Site header, as requests from browsers have.'
  if (method === 'GET' && !loopbackOnly && !hasCertificate)
    return 'The request is a GET, which a web page could send. Send it as a POST.'
  const hosts = [headers[':authority'], headers.host]
  if (loopbackOnly && hosts.some((host) => host !== undefined && !isLoopback(String(host).replace(/:\d{1,5}$/, ''))))
    return 'The Host header does not name this machine. Call localhost, 127.0.0.1 or [::1].'
  return undefined
}
