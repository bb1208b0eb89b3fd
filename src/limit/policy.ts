/** The quota for one client's submissions (docs/specification.md §6). */
export interface Policy {
  limit: number
  windowSeconds: number
}

export interface Decision {
  allowed: boolean
  limit: number
  remaining: number
  /** Whole seconds until the window ends, rounded up, and at least 1 in a refusal. */
  resetSeconds: number
  windowSeconds: number
}

/** What one replica admits by itself: its part of the limit, at least 1. */
export function replicaShare(policy: Policy, replicas: number): Policy {
  return { ...policy, limit: Math.max(1, Math.floor(policy.limit / replicas)) }
}
