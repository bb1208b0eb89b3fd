/** A client's usage until its window ends. */
export interface ClientWindow {
  used: number
  /** When the window ends, in milliseconds on the caller's clock. */
  endsAtMs: number
}

/**
 * The maximum number of clients, about 15 MB. Beyond it the older half is forgotten, and those clients get new windows.
 * Only somebody with that many addresses can cause this, and has that many separate limits anyway.
 */
export const maxClients = 100_000

/**
 * Windows of clients by key, in bounded memory and without timers. Keeps two generations and drops the older one as a
 * whole. Deleting the oldest entry of a single `Map` for each new one would be slow, because a `Map` keeps holes at its
 * front.
 */
export class WindowTable {
  readonly #windowMs: number
  #recent = new Map<string, ClientWindow>()
  #older = new Map<string, ClientWindow>()
  #nextGenerationAtMs = Number.NEGATIVE_INFINITY

  /** `windowMs` is the longest time from now that a window may end. */
  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  get size(): number {
    return this.#recent.size + this.#older.size
  }

  /** The client's window. Undefined once it has ended. */
  get(clientKey: string, nowMs: number): ClientWindow | undefined {
    const window = this.#recent.get(clientKey) ?? this.#older.get(clientKey)
    return window !== undefined && window.endsAtMs > nowMs ? window : undefined
  }

  /** Stores a client's window, replacing an earlier one. */
  set(clientKey: string, window: ClientWindow, nowMs: number): void {
    // A generation accepts entries for one window length. It is dropped after two, when all of its windows have ended.
    if (nowMs >= this.#nextGenerationAtMs || this.#recent.size >= maxClients / 2) {
      this.#older = this.#recent
      this.#recent = new Map()
      this.#nextGenerationAtMs = nowMs + this.#windowMs
    }
    this.#recent.set(clientKey, window)
  }
}
