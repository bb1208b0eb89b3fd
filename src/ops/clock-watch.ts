import type { UpkeepTask } from './upkeep.ts'

/**
 * A larger difference between clocks causes duplicates (docs/specification.md §7), wrong consent times, and leads out
 * of order.
 */
const toleratedSeconds = 60

export interface ClockWatchOptions {
  /** The database's clock, in milliseconds since the epoch. */
  readDatabaseClock(): Promise<number>
  now: () => number
  /** How many seconds this clock is ahead of the database's. Negative: behind. */
  onSkew(seconds: number, isOff: boolean): void
}

export interface ClockWatch {
  compare: UpkeepTask
  /** The problem found. Undefined: none known. */
  readonly trouble: string | undefined
}

/** Compares this clock with the database's clock, which all replicas share. */
export function createClockWatch({ readDatabaseClock, now, onSkew }: ClockWatchOptions): ClockWatch {
  let trouble: string | undefined
  return {
    async compare() {
      const beforeMs = now()
      const databaseMs = await readDatabaseClock()
      // The database read its clock somewhere between the two local readings, so compare with their middle.
      const seconds = Math.round(((beforeMs + now()) / 2 - databaseMs) / 100) / 10
      const isOff = Math.abs(seconds) > toleratedSeconds
      trouble = isOff
        ? `clock: ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the database's`
        : undefined
      onSkew(seconds, isOff)
      return 0
    },
    get trouble() {
      return trouble
    },
  }
}
