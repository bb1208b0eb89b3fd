import type { IncomingHttpHeaders } from 'node:http'

/** `localhost`, `127.0.0.0/8` or `[::1]`, with or without a port. */
const loopback = /^(?:localhost|127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}|\[::1\])(?::\d{1,5})?$/i

/**
 * Says why a request must be refused as that of a browser; undefined: it need not be. A page on the internet can make a
 * visitor's browser call this machine, and with a name that it points at 127.0.0.1 (DNS rebinding) even read the answer.
 * Browsers send `Origin` or `Sec-Fetch-Site`, or at least the page's own name as the host.
 */
export function findBrowser(headers: IncomingHttpHeaders, loopbackOnly: boolean): string | undefined {
  if (headers.origin !== undefined) return 'The request has the header Origin, as those of browsers do.'
  if (headers['sec-fetch-site'] !== undefined)
    return 'The request has the header Sec-Fetch-Site, as those of browsers do.'
  const hosts = [headers[':authority'], headers.host]
  if (loopbackOnly && hosts.some((host) => host !== undefined && !loopback.test(String(host))))
    return 'The request names a host that is not this machine. Call localhost, 127.0.0.1 or [::1].'
  return undefined
}
