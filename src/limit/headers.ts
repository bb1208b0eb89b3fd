import type { HeaderFields } from '../header-fields.ts'
import type { Decision } from './decision.ts'

/**
 * A decision as header fields: the four of draft-ietf-httpapi-ratelimit-headers-06 (§3.1–3.4) and, in a refusal,
 * `Retry-After` in seconds (RFC 9110 §10.2.3) with the same value as the reset.
 */
export function rateHeaders({ allowed, limit, remaining, resetSeconds, windowSeconds }: Decision): HeaderFields {
  const reset = String(resetSeconds)
  return [
    ...['RateLimit-Limit', String(limit), 'RateLimit-Remaining', String(remaining), 'RateLimit-Reset', reset],
    ...['RateLimit-Policy', `${limit};w=${windowSeconds}`],
    ...(allowed ? [] : ['Retry-After', reset]),
  ]
}
