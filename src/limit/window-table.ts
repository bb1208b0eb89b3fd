/** What is known of a client until its window ends. */
export interface ClientWindow {
  used: number
  /** When it ends, in the milliseconds of the caller's clock. */
  endsAtMs: number
}

/**
 * How many clients are remembered at most, in about 15 MB. Beyond it the half that came first is forgotten and has new
 * windows; only who has as many addresses can bring that about, and has as many limits anyway.
 */
export const maxClients = 100_000

/**
 * The windows of clients by key, in bounded memory and without a timer: two generations, of which the older is dropped
 * whole. One map whose oldest entry is deleted for each new one would be slow, as a `Map` keeps the holes at its front.
 */
export class WindowTable {
  readonly #windowMs: number
  #recent = new Map<string, ClientWindow>()
  #older = new Map<string, ClientWindow>()
  #nextGenerationAtMs = Number.NEGATIVE_INFINITY

  /** `windowMs` is the longest that a window may have to go when it is set. */
  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  get size(): number {
    return this.#recent.size + this.#older.size
  }

  /** The client's window, unless it has ended. */
  get(clientKey: string, nowMs: number): ClientWindow | undefined {
    const window = this.#recent.get(clientKey) ?? this.#older.get(clientKey)
    return window !== undefined && window.endsAtMs > nowMs ? window : undefined
  }

  /** Remembers a client's window in place of an earlier one. */
  set(clientKey: string, window: ClientWindow, nowMs: number): void {
    // A generation takes entries for one window's length, so when it is dropped after two all of its windows have ended.
    if (nowMs >= this.#nextGenerationAtMs || this.#recent.size >= maxClients / 2) {
      this.#older = this.#recent
      this.#recent = new Map()
      this.#nextGenerationAtMs = nowMs + this.#windowMs
    }
    this.#recent.set(clientKey, window)
  }
}
