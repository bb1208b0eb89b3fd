import type { HeaderFields } from '../header-fields.ts'
import type { Decision } from './decision.ts'

/**
 * Makes the function that renders a decision as header fields: the four of draft-ietf-httpapi-ratelimit-headers-06
 * (§3.1–3.4), and in a refusal `Retry-After` as delay-seconds (RFC 9110 §10.2.3), which names the same moment.
 */
export function createRateHeaders(): (decision: Decision) => HeaderFields {
  // A process enforces one policy at a time, so its text is written once and again only when the mode changes.
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
