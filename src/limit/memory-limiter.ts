import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'

/**
 * How many windows are kept. Beyond that, the oldest is forgotten, and its client starts a new one. A caller with that
 * many addresses gains nothing, because each address has a limit of its own.
 */
export const maxWindows = 50_000

/** Counts in this process, in bounded memory. Resolves even beyond the limit, and marks its results. */
export class MemoryLimiter extends RateLimiterMemory {
  /** The keys in the order in which their windows began. */
  readonly #keys = new Set<string>()
  readonly #oldest = this.#keys.values()

  override async consume(key: string): Promise<RateLimiterRes> {
    // Beyond the limit, the library rejects with the result.
    const result = await super.consume(key).catch((refusal: RateLimiterRes) => refusal)
    if (result.isFirstInDuration) {
      this.#keys.delete(key)
      this.#keys.add(key)
    }
    if (this.#keys.size > maxWindows) {
      const value = this.#oldest.next().value as string
      this.#keys.delete(value)
      void this.delete(value)
    }
    return Object.assign(result, { countedHere: true })
  }
}
