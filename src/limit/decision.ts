/** The quota of submissions of one client (contract §6). */
export interface Policy {
  /** Requests a window. */
  limit: number
  windowSeconds: number
}

/** What a limiter decided about one request: the numbers sent are the numbers enforced. */
export interface Decision {
  allowed: boolean
  limit: number
  /** Requests left in this window; never negative. */
  remaining: number
  /** Whole seconds until the window ends, rounded up; 0 to the window's length. */
  resetSeconds: number
  /** The length of the window, for the policy field. */
  windowSeconds: number
}

/** Counts a request of a client and decides. Never rejects: a store that is away is the limiter's own concern. */
export interface Limiter {
  consume(clientKey: string): Promise<Decision>
  /** `fallback` while the shared store is away and each replica counts for itself. */
  readonly mode: 'shared' | 'local' | 'fallback'
  close(): Promise<void>
}
