/** What happens often and is logged seldom: at the first time, and then once a minute with how often it was. */
export interface Occasions {
  happened(): void
  /** How often in the last minute or so; 0: not at all. */
  readonly recent: number
}

const everyMs = 60_000

/** `onReport` hears of the first occasion at once, and of those that follow once a minute, with their number. */
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
