import type { IncomingMessage } from 'node:http'
import type { HeaderFields } from './routes.ts'

/** The headers that scripts may read, beyond the few that Fetch always allows. */
const exposedHeaders =
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy, Retry-After, ' +
  'Deprecation, Sunset, Link, Idempotency-Replayed, X-Request-Id'

/** How long browsers may cache a preflight, in seconds: Chromium's maximum. */
const preflightMaxAgeSeconds = 7200

/** Returns an answer's CORS headers (Fetch, CORS protocol). A disallowed origin gets none, and no error. */
export type Cors = (req: IncomingMessage) => HeaderFields

/**
 * `origins` are the exact origins of the business's website forms. `onRefused` is called for each preflight from another
 * origin, because a form of the business that is not listed loses its leads, and only the browser shows it.
 */
export function createCors(origins: readonly string[], onRefused: (origin: string) => void = () => {}): Cors {
  return ({ method, headers }) => {
    const { origin } = headers
    const allow = origin !== undefined && origins.includes(origin) && { 'Access-Control-Allow-Origin': origin }
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
      return { Vary: 'Origin', ...(allow && { ...allow, 'Access-Control-Expose-Headers': exposedHeaders }) }
    }
    if (origin !== undefined && !allow) onRefused(loggable(origin))
    return {
      Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
      ...(allow && {
        ...allow,
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': 'content-type, idempotency-key, consent-version',
        'Access-Control-Max-Age': String(preflightMaxAgeSeconds),
      }),
    }
  }
}

/** How much of a caller's text is logged. */
const loggedMaxLength = 100

/** The beginning of a caller's text, without characters that could deceive the reader of a log. */
function loggable(text: string): string {
  return text.slice(0, loggedMaxLength).replace(/[^\x20-\x7e]/g, '')
}
