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

/** The decision about the last of `used` requests in a window that ends in `msLeft`. */
export function createDecision({ limit, windowSeconds }: Policy, used: number, msLeft: number): Decision {
  const allowed = used <= limit
  const seconds = Math.min(windowSeconds, Math.ceil(msLeft / 1000))
  // A refused client must not retry at once.
  const resetSeconds = Math.max(allowed ? 0 : 1, seconds)
  return { allowed, limit, remaining: allowed ? limit - used : 0, resetSeconds, windowSeconds }
}

/** The quota for all clients of one network (an IPv6 /48) together. */
export function networkPolicy(policy: Policy): Policy {
  return { ...policy, limit: 10 * policy.limit }
}

/** What one replica admits by itself: its part of the limit, at least 1. */
export function replicaShare(policy: Policy, replicas: number): Policy {
  return { ...policy, limit: Math.max(1, Math.floor(policy.limit / replicas)) }
}
