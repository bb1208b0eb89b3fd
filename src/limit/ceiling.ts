const windowMs = 60_000

/**
 * Limits how many leads this replica accepts per minute, from all clients together: its share of `perMinute`, which all
 * `replicas` have together. Undefined: unlimited. `now` is a monotonic clock in milliseconds.
 */
export function createCeiling(perMinute: number | undefined, replicas: number, now: () => number) {
  const share = perMinute === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(perMinute / replicas))
  let endsAtMs = Number.NEGATIVE_INFINITY
  let used = 0

  return {
    /** Reserves room for one lead. Undefined: the limit is reached. Call the returned function if no lead was created. */
    reserve(): (() => void) | undefined {
      const nowMs = now()
      if (nowMs >= endsAtMs) {
        endsAtMs = nowMs + windowMs
        used = 0
      }
      if (used >= share) return undefined
      used++
      const windowEndsAtMs = endsAtMs
      return () => {
        if (windowEndsAtMs === endsAtMs) used--
      }
    },
    /** Whole seconds until the next window. */
    retryAfterSeconds: () => Math.max(1, Math.ceil((endsAtMs - now()) / 1_000)),
  }
}

export type Ceiling = ReturnType<typeof createCeiling>
