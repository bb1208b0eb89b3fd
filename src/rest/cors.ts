import type { IncomingMessage, ServerResponse } from 'node:http'

/** What a page may read of an answer beyond the few fields that Fetch allows by itself. */
const exposedHeaders = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'Retry-After',
  'Deprecation',
  'Sunset',
  'Link',
  'Idempotency-Replayed',
  'X-Request-Id',
].join(', ')

/** How long a browser may keep a preflight's answer: the most that Chromium takes. */
const preflightMaxAgeSeconds = 7200

/** Sets the CORS fields of the lead paths (Fetch, CORS protocol). An origin that is not allowed gets none, and no error. */
export type SetCors = (req: IncomingMessage, res: ServerResponse) => void

/** `origins`: exact origins of the business's website forms. */
export function createCors(origins: readonly string[]): SetCors {
  const allowed = new Set(origins)
  return (req, res) => {
    const preflight = req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined
    res.setHeader(
      'Vary',
      preflight ? 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers' : 'Origin',
    )
    const { origin } = req.headers
    if (origin === undefined || !allowed.has(origin)) return
    res.setHeader('Access-Control-Allow-Origin', origin)
    if (preflight) {
      res.setHeader('Access-Control-Allow-Methods', 'POST')
      res.setHeader('Access-Control-Allow-Headers', 'content-type, idempotency-key')
      res.setHeader('Access-Control-Max-Age', preflightMaxAgeSeconds)
    } else {
      res.setHeader('Access-Control-Expose-Headers', exposedHeaders)
    }
  }
}
