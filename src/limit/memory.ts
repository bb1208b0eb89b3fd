import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/**
 * How many windows are kept, in about 30 MB. Beyond it the oldest is forgotten, and its client gets a new one. Only
 * somebody with that many addresses can cause this, and has that many separate limits anyway.
 */
export const maxWindows = 50_000

/** The library's counter in this process, with bounded memory. It knows its own results. */
export class MemoryCounter extends RateLimiterMemory {
  readonly #results = new WeakSet<RateLimiterRes>()
  /** The keys in the order in which their windows began. */
  readonly #keys = new Set<string | number>()
  readonly #oldest = this.#keys.values()

  override async consume(key: string | number): Promise<RateLimiterRes> {
    try {
      return this.#note(key, await super.consume(key))
    } catch (outcome) {
      throw outcome instanceof RateLimiterRes ? this.#note(key, outcome) : outcome
    }
  }

  /** Whether this counter made a result, rather than the limiter that it insures. */
  made(result: RateLimiterRes): boolean {
    return this.#results.has(result)
  }

  #note(key: string | number, result: RateLimiterRes): RateLimiterRes {
    this.#results.add(result)
    if (result.isFirstInDuration) {
      this.#keys.delete(key)
      this.#keys.add(key)
      if (this.#keys.size > maxWindows) {
        const oldest = this.#oldest.next().value as string
        this.#keys.delete(oldest)
        void this.delete(oldest)
      }
    }
    return result
  }
}
