/** The quota for one client's submissions (docs/specification.md §6). */
export interface Policy {
  /** Requests per window. */
  limit: number
  windowSeconds: number
}

/** What a limiter decides about one request, and tells in headers. */
export interface Decision {
  allowed: boolean
  limit: number
  /** Requests left in this window, at least 0. */
  remaining: number
  /** Whole seconds until the window ends, rounded up. 0 to the window's length; at least 1 in a refusal. */
  resetSeconds: number
  /** The window's length, for the policy header. */
  windowSeconds: number
}

/** Counts a client's request and decides. */
export interface Limiter {
  /** `clientKey` is what counts as one client (client-key.ts). Only its keyed hash leaves the process. Never rejects. */
  consume(clientKey: string): Promise<Decision>
  /** Why Redis is unavailable and each replica counts by itself. Undefined: it is not. Asks Redis again after a failure. */
  check(): Promise<string | undefined>
  close(): void
}

/** The decision about the last of `used` requests in a window that ends in `msLeft`. */
export function createDecision({ limit, windowSeconds }: Policy, used: number, msLeft: number): Decision {
  const allowed = used <= limit
  const seconds = Math.min(windowSeconds, Math.ceil(msLeft / 1000))
  // A refused client that is told to retry in 0 seconds would retry at once.
  const resetSeconds = Math.max(allowed ? 0 : 1, seconds)
  return { allowed, limit, remaining: allowed ? limit - used : 0, resetSeconds, windowSeconds }
}

/** The quota for all clients of one network (an IPv6 /48) together. */
export function networkPolicy(policy: Policy): Policy {
  return { ...policy, limit: 10 * policy.limit }
}

/** What one replica admits by itself: the limit divided by the number of replicas, at least 1. */
export function replicaShare(policy: Policy, replicas: number): Policy {
  return { ...policy, limit: Math.max(1, Math.floor(policy.limit / replicas)) }
}
