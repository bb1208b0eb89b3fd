import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/**
 * How many windows are kept. Beyond that, the oldest is forgotten, and its client starts a new one. A caller with that
 * many addresses gains nothing, because each address has a limit of its own.
 */
export const maxWindows = 50_000

/** Counts in this process, in bounded memory. Returns the function that counts a request of a key. */
export function createMemoryCounter(points: number, duration: number): (key: string) => Promise<RateLimiterRes> {
  const counter = new RateLimiterMemory({ points, duration })
  /** The keys in the order in which their windows began. */
  const keys = new Set<string>()
  const oldest = keys.values()

  return async (key) => {
    // Beyond the limit, the library rejects with the result instead of an error.
    const result = await counter.consume(key).catch((outcome) => {
      if (outcome instanceof RateLimiterRes) return outcome
      throw outcome
    })
    if (result.isFirstInDuration) {
      keys.delete(key)
      keys.add(key)
    }
    if (keys.size > maxWindows) {
      const value = oldest.next().value as string
      keys.delete(value)
      void counter.delete(value)
    }
    return result
  }
}
