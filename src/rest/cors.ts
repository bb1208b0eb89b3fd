import type { IncomingMessage } from 'node:http'
import type { HeaderFields } from './routes.ts'

/** The headers that scripts may read, in addition to those that Fetch always allows. */
const exposedHeaders =
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy, Retry-After, ' +
  'Deprecation, Sunset, Link, Idempotency-Replayed, X-Request-Id'

/**
 * Creates the function that returns an answer's CORS headers (Fetch, CORS protocol) for website forms on these exact
 * origins. `onRefused` is called for a preflight from another origin, because a form of the business that is not listed
 * loses its leads, and otherwise only the browser shows it.
 */
export function createCors(origins: readonly string[], onRefused: () => void) {
  return ({ method, headers }: IncomingMessage): HeaderFields => {
    const { origin } = headers
    const allow = origin !== undefined && origins.includes(origin) && { 'Access-Control-Allow-Origin': origin }
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined)
      return { Vary: 'Origin', ...(allow && { ...allow, 'Access-Control-Expose-Headers': exposedHeaders }) }
    if (origin !== undefined && !allow) onRefused()
    return {
      Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
      ...(allow && {
        ...allow,
        'Access-Control-Allow-Methods': 'POST',
        // Monitoring scripts add headers of their own. Nothing here takes credentials.
        'Access-Control-Allow-Headers': '*',
        // Seconds: Chromium's maximum.
        'Access-Control-Max-Age': '7200',
      }),
    }
  }
}
