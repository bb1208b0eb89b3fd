/** The quota of submissions of one client (docs/specification.md §6). */
export interface Policy {
  /** Requests a window. */
  limit: number
  windowSeconds: number
}

/** What a counter knows just after it has counted a request. */
export interface Usage {
  /** The requests of this window, this one included. */
  used: number
  /** Milliseconds until the window ends. */
  msLeft: number
}

/** What is known of a client, and of the site (an IPv6 /48) that it lies in. */
export interface ClientUsage {
  client: Usage
  /** Undefined for IPv4, and where the client's own limit is used up: such a request does not count for the site. */
  site: Usage | undefined
}

/** What a limiter decided about one request: the numbers sent are the numbers enforced. */
export interface Decision {
  allowed: boolean
  limit: number
  /** Requests left in this window; never negative. */
  remaining: number
  /** Whole seconds until the window ends, rounded up: 0 to the window's length, and at least 1 in a refusal. */
  resetSeconds: number
  /** The length of the window, for the policy field. */
  windowSeconds: number
}

/** Counts a request of a client and decides. Never rejects: a store that is away is the limiter's own concern. */
export interface Limiter {
  /** `clientKey` is the client's network as text (client-key.ts). It leaves the process as a keyed hash only. */
  consume(clientKey: string): Promise<Decision>
  /** Says what a request of a client would find, without counting it. Never rejects either. */
  peek(clientKey: string): Promise<Decision>
  /** `fallback` while the shared store is away and each replica counts for itself. */
  readonly mode: 'shared' | 'local' | 'fallback'
  close(): Promise<void>
}

/** Who decided: the counter of that mode, or the memory of clients that are known to have used up their limit. */
export type DecidedBy = Limiter['mode'] | 'block'

/** What a limiter tells while it works, for metrics and the log. */
export interface LimiterEvents {
  /** Called with the first mode too. `cause` says why the shared store was given up; no personal data is in it. */
  onModeChange(mode: Limiter['mode'], cause: Error | undefined): void
  onDecision(by: DecidedBy, allowed: boolean): void
}

/** The decision that a policy makes of a client's usage. */
export function createDecision({ limit, windowSeconds }: Policy, { used, msLeft }: Usage): Decision {
  const allowed = used <= limit
  // A refused client that is told to come back in 0 seconds would come back at once.
  const atLeast = allowed ? 0 : 1
  return {
    allowed,
    limit,
    remaining: allowed ? limit - used : 0,
    resetSeconds: Math.max(atLeast, Math.min(windowSeconds, Math.ceil(msLeft / 1000))),
    windowSeconds,
  }
}

/** How many times the limit of a client all clients of one site may send together. */
const siteFactor = 10

/** The quota of all clients of one site. */
export function sitePolicy(policy: Policy): Policy {
  return { ...policy, limit: siteFactor * policy.limit }
}

/** The decision that both counters make together: that of the one that refuses, else of the one with less left. */
export function decideForClient(policy: Policy, { client, site }: ClientUsage): Decision {
  const own = createDecision(policy, client)
  if (!own.allowed || site === undefined) return own
  const shared = createDecision(sitePolicy(policy), site)
  return !shared.allowed || shared.remaining < own.remaining ? shared : own
}
