/** The quota for one client's submissions (docs/specification.md §6). */
export interface Policy {
  /** Requests per window. */
  limit: number
  windowSeconds: number
}

/** The state of a counter right after it has counted a request. */
export interface Usage {
  /** Requests in this window, including this one. */
  used: number
  /** Milliseconds until the window ends. */
  msLeft: number
}

/** The usage of a client and of its site (an IPv6 /48). */
export interface ClientUsage {
  client: Usage
  /** Undefined for IPv4, and when the client's own limit is exceeded: such a request is not counted for the site. */
  site: Usage | undefined
}

/** A limiter's decision about one request. The numbers in the headers are exactly the enforced ones. */
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

/** Counts a client's request and decides. Never rejects: when the store is unavailable, the limiter falls back. */
export interface Limiter {
  /** `clientKey` is the client's network (client-key.ts). Only its keyed hash leaves the process. */
  consume(clientKey: string): Promise<Decision>
  /** The decision that a request would get, without counting one. Never rejects. */
  peek(clientKey: string): Promise<Decision>
  /** `fallback` while the shared store is unavailable and each replica counts on its own. */
  readonly mode: 'shared' | 'local' | 'fallback'
  close(): Promise<void>
}

/** What decided: the counter of that mode, or (`block`) the memory of clients that exceeded their limit. */
export type DecidedBy = Limiter['mode'] | 'block'

/** Events of a limiter, for metrics and the log. */
export interface LimiterEvents {
  /** Also called with the initial mode. `cause`: why the shared store was given up. It contains no personal data. */
  onModeChange(mode: Limiter['mode'], cause: Error | undefined): void
  /** Called in fallback mode for each probe that fails, with the reason why the shared store still cannot count. */
  onProbeFailure(cause: Error): void
  onDecision(by: DecidedBy, allowed: boolean): void
}

/** Applies a policy to a client's usage. */
export function createDecision({ limit, windowSeconds }: Policy, { used, msLeft }: Usage): Decision {
  const allowed = used <= limit
  // A refused client that is told to retry in 0 seconds would retry at once.
  const atLeast = allowed ? 0 : 1
  return {
    allowed,
    limit,
    remaining: allowed ? limit - used : 0,
    resetSeconds: Math.max(atLeast, Math.min(windowSeconds, Math.ceil(msLeft / 1000))),
    windowSeconds,
  }
}

/** The limit of a site, as a multiple of a client's limit. */
const siteFactor = 10

/** The quota for all clients of one site together. */
export function sitePolicy(policy: Policy): Policy {
  return { ...policy, limit: siteFactor * policy.limit }
}

/** Combines the decisions for client and site: the refusing one wins, else the one with less remaining. */
export function decideForClient(policy: Policy, { client, site }: ClientUsage): Decision {
  const own = createDecision(policy, client)
  if (!own.allowed || site === undefined) return own
  const shared = createDecision(sitePolicy(policy), site)
  return !shared.allowed || shared.remaining < own.remaining ? shared : own
}
