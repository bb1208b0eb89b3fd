import type { HeaderFields } from '../header-fields.ts'
import type { Decision } from './decision.ts'

/**
 * Creates the function that renders a decision as header fields: the four of draft-ietf-httpapi-ratelimit-headers-06
 * (§3.1–3.4) and, in a refusal, `Retry-After` in seconds (RFC 9110 §10.2.3) with the same value as the reset.
 */
export function createRateHeaders(): (decision: Decision) => HeaderFields {
  // The policy changes only with the mode, so its header text is cached.
  let policyLimit = -1
  let policyWindow = -1
  let policyText = ''

  return ({ allowed, limit, remaining, resetSeconds, windowSeconds }) => {
    if (limit !== policyLimit || windowSeconds !== policyWindow) {
      policyLimit = limit
      policyWindow = windowSeconds
      policyText = `${limit};w=${windowSeconds}`
    }
    const reset = String(resetSeconds)
    const fields = [
      'RateLimit-Limit',
      String(limit),
      'RateLimit-Remaining',
      String(remaining),
      'RateLimit-Reset',
      reset,
      'RateLimit-Policy',
      policyText,
    ]
    if (!allowed) fields.push('Retry-After', reset)
    return fields
  }
}
