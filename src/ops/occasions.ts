/** A frequent event that is logged rarely: the first time, and then at most once a minute with a count. */
export interface Occasions {
  happened(): void
  /** How many occurrences in roughly the last minute. */
  readonly recent: number
}

const everyMs = 60_000

/** Calls `onReport` for the first occurrence at once, and then once a minute with the number of further ones. */
export function createOccasions(
  onReport: (count: number) => void,
  now: () => number = () => performance.now(),
): Occasions {
  let reportedMs = Number.NEGATIVE_INFINITY
  let lastMs = Number.NEGATIVE_INFINITY
  let count = 0
  let reported = 0
  return {
    happened() {
      lastMs = now()
      count++
      if (lastMs - reportedMs < everyMs) return
      reportedMs = lastMs
      reported = count
      count = 0
      onReport(reported)
    },
    get recent() {
      return now() - lastMs < everyMs ? count + reported : 0
    },
  }
}
