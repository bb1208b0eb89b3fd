import type { IncomingHttpHeaders } from 'node:http'

/** `localhost`, `127.0.0.0/8` or `[::1]`, with or without a port. */
const loopback = /^(?:localhost|127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}|\[::1\])(?::\d{1,5})?$/i

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
  if (loopbackOnly && hosts.some((host) => host !== undefined && !loopback.test(String(host))))
    return 'The Host header does not name this machine. Call localhost, 127.0.0.1 or [::1].'
  return undefined
}
