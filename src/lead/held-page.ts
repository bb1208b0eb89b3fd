import type { Droppable } from './byte-budget.ts'
import type { FeedEntry, FeedPage } from './stored-lead.ts'

/**
 * How long entries may be delivered after they were read, in milliseconds. Older ones are read again, because a lead
 * may have been erased since.
 */
const freshMs = 1_000

/** A page of the feed in memory. After it has been dropped, a reader must read it again. */
export interface HeldPage extends Droppable {
  /** Undefined after the page was dropped. */
  readonly entries: readonly FeedEntry[] | undefined
  /** The last position examined. */
  readonly examined: number
  /** Whether more entries may follow. */
  readonly more: boolean
  /** Whether the entries are still in memory and fresh. */
  isGood(): boolean
}

/** Wraps a page that was just read. `now` is a monotonic clock in milliseconds. */
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

/** The size of a lead's texts in bytes, plus a kilobyte for everything else. */
export function sizeOf({ personal, evidence }: { personal: string | null; evidence: string }): number {
  return Buffer.byteLength(personal ?? '') + Buffer.byteLength(evidence) + 1_024
}
