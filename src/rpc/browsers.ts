import { isLoopback } from '../config/internal.ts'
import type { NodeRequest } from '../net/internal-listener.ts'
import { situations } from '../words/problems.ts'

/**
 * Returns the reason to refuse a request that may come from a browser. A web page can make its visitor's browser call
 * this machine, and with DNS rebinding (a host name that the page points at 127.0.0.1) even read the answer. Browsers
 * send `Origin` or `Sec-Fetch-Site`, or at least the page's host name. Only on loopback is another host name known to
 * be wrong. Elsewhere, a GET without a certificate is refused, because a page's own GET may have neither header.
 */
export function findBrowser({ method, headers }: NodeRequest, loopbackOnly: boolean, hasCertificate: boolean) {
  if (headers.origin !== undefined) return situations.has_origin
  if (headers['sec-fetch-site'] !== undefined) return situations.has_fetch_site
  if (method === 'GET' && !loopbackOnly && !hasCertificate) return situations.get_of_page
  const hosts = [headers[':authority'], headers.host].filter((host) => host !== undefined)
  const isOwn = hosts.every((host) => isLoopback(String(host).replace(/:\d{1,5}$/, '')))
  return loopbackOnly && !isOwn ? situations.foreign_host : undefined
}
