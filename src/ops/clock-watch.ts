import type { UpkeepTask } from './upkeep.ts'

/** Clocks further apart make duplicates (docs/specification.md §7), wrong times of consent, and leads in the wrong order. */
const toleratedSeconds = 60

export interface ClockWatchOptions {
  /** Milliseconds since the epoch by the database's clock. */
  readDatabaseClock(): Promise<number>
  now: () => number
  /** Seconds that this clock is ahead of the database's, negative: behind. */
  onSkew(seconds: number, isOff: boolean): void
}

export interface ClockWatch {
  compare: UpkeepTask
  /** What is wrong; undefined: nothing is known to be. */
  readonly trouble: string | undefined
}

/** Compares this clock with the database's, which is the same for every replica. */
export function createClockWatch({ readDatabaseClock, now, onSkew }: ClockWatchOptions): ClockWatch {
  let trouble: string | undefined
  return {
    async compare() {
      const beforeMs = now()
      const databaseMs = await readDatabaseClock()
      // The database read its clock at some moment in between.
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
