import type { Droppable } from './byte-budget.ts'
import type { FeedEntry, FeedPage } from './stored-lead.ts'

/** Entries that were read longer ago than this are read again before they are handed on: a lead may be erased by now. */
const freshMs = 1_000

/** A page of the feed in memory. Once it has been dropped, whoever needs it reads it again. */
export interface HeldPage extends Droppable {
  /** Undefined once it has been dropped. */
  readonly entries: readonly FeedEntry[] | undefined
  /** The last place examined. */
  readonly examined: number
  /** Whether there may be more behind it. */
  readonly more: boolean
  /** Whether the entries are still there, and were read a moment ago. */
  isGood(): boolean
}

/** Wraps a page that has just been read. `now` gives milliseconds from any fixed moment on. */
export function holdPage({ entries, examined, more }: FeedPage, now: () => number): HeldPage {
  const readMs = now()
  let kept: readonly FeedEntry[] | undefined = entries
  return {
    get entries() {
      return kept
    },
    examined,
    more,
    bytes: entries.reduce((sum, { lead }) => sum + sizeOf(lead), 0),
    isGood: () => kept !== undefined && now() - readMs < freshMs,
    drop() {
      kept = undefined
    },
  }
}

/** The bytes of a lead's texts. What else there is of it counts as a kilobyte. */
export function sizeOf({ personal, evidence }: { personal: string | null; evidence: string }): number {
  return Buffer.byteLength(personal ?? '') + Buffer.byteLength(evidence) + 1_024
}
