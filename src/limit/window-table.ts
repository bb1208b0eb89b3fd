/** What is known of a client until its window ends. */
export interface ClientWindow {
  used: number
  /** When it ends, in the milliseconds of the caller's clock. */
  endsAtMs: number
}

/**
 * How many clients are remembered: about 15 MB. Beyond it the one seen first is forgotten, which gives it a new window;
 * only who has as many addresses can bring that about, and has as many limits anyway.
 */
export const maxClients = 100_000

/**
 * The windows of clients by key, in bounded memory and without a timer: a `Map` keeps the order of insertion, so those
 * that end first are at its front and are cleared from there as new ones come.
 */
export class WindowTable {
  readonly #windows = new Map<string, ClientWindow>()

  get size(): number {
    return this.#windows.size
  }

  /** The client's window, unless it has ended. */
  get(clientKey: string, nowMs: number): ClientWindow | undefined {
    const window = this.#windows.get(clientKey)
    return window !== undefined && window.endsAtMs > nowMs ? window : undefined
  }

  /** Remembers a client's window in place of an earlier one. */
  set(clientKey: string, window: ClientWindow, nowMs: number): void {
    // A key that is set again would otherwise keep its old place in the order.
    this.#windows.delete(clientKey)
    for (const [oldest, { endsAtMs }] of this.#windows) {
      if (endsAtMs > nowMs && this.#windows.size < maxClients) break
      this.#windows.delete(oldest)
    }
    this.#windows.set(clientKey, window)
  }
}
