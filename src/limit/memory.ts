import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'

/**
 * How many windows are kept, in about 30 MB. Beyond that, the oldest is forgotten, and its client starts a new one.
 * A caller with that many addresses gains nothing: each address has a limit of its own anyway.
 */
export const maxWindows = 50_000

/** The library's counter in this process, with bounded memory. */
export class MemoryCounter extends RateLimiterMemory {
  /** The keys in the order in which their windows began. */
  readonly #keys = new Set<string | number>()
  readonly #oldest = this.#keys.values()

  override async consume(key: string | number): Promise<RateLimiterRes> {
    const result = await super.consume(key)
    if (result.isFirstInDuration) this.#remember(key)
    return result
  }

  #remember(key: string | number): void {
    this.#keys.delete(key)
    this.#keys.add(key)
    if (this.#keys.size <= maxWindows) return
    const oldest = this.#oldest.next().value as string
    this.#keys.delete(oldest)
    void this.delete(oldest)
  }
}
