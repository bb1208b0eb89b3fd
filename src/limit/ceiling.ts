/** How many leads this replica takes in a minute, from all clients together. */
export interface Ceiling {
  /** Takes a place for a lead; undefined: there is none. What it returns gives the place back, where no lead was made. */
  take(): (() => void) | undefined
  /** Whole seconds until there are places again. */
  retryAfterSeconds(): number
}

const windowMs = 60_000

/**
 * `perMinute` is for all `replicas` together, and each takes its share, so that together they never exceed it, unless they
 * are more than it is. Undefined: no ceiling. `now` gives milliseconds on a clock that is not set back.
 */
export function createCeiling(perMinute: number | undefined, replicas: number, now: () => number): Ceiling {
  const share = perMinute === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(perMinute / replicas))
  let endsAtMs = Number.NEGATIVE_INFINITY
  let used = 0

  return {
    take() {
      const nowMs = now()
      if (nowMs >= endsAtMs) {
        endsAtMs = nowMs + windowMs
        used = 0
      }
      if (used >= share) return undefined
      used++
      const windowOfPlace = endsAtMs
      return () => {
        if (windowOfPlace === endsAtMs) used--
      }
    },
    retryAfterSeconds: () => Math.max(1, Math.ceil((endsAtMs - now()) / 1_000)),
  }
}
