import { type ByteBudget, createByteBudget } from './byte-budget.ts'
import { type HeldPage, holdPage } from './held-page.ts'
import { createSharedReading } from './shared-reading.ts'
import type { FeedEntry, TailReader } from './stored-lead.ts'
import type { LeadKind } from './submission.ts'

/** Maximum entries per read. */
const pageRows = 250

/** Bytes per read. Smaller with many followers, so that a page for each of them fits into the budget. */
const pageBytes = { min: 32 * 1_024, max: 512 * 1_024 }

/**
 * The budget for pages that followers have read but not consumed. A text may take twice its bytes in memory, and output
 * buffers come on top; the total stays below 32 MiB (docs/specification.md §11).
 */
const heldMaxBytes = 10 * 1_024 * 1_024

export interface TailOptions {
  reader: TailReader
  /** How often to read without a signal, in milliseconds, in case signals get lost. */
  pollMs?: number
  /** A monotonic clock, in milliseconds. */
  now?: () => number
  budget?: ByteBudget
}

/** An entry, or, without one, the position up to which the feed was examined. */
export interface Step {
  position: number
  entry: FeedEntry | undefined
}

/** A consumer that follows the feed. */
export interface Follower {
  /** The position after which it continues. */
  readonly position: number
  /**
   * The next step in feed order. Undefined: nothing within `waitMs`. Rejects with the signal's reason or the reader's
   * errors.
   */
  next(waitMs: number, signal: AbortSignal): Promise<Step | undefined>
  close(): void
}

export interface Tail {
  /** Follows the feed after a position, optionally only the leads of one kind and their changes. */
  follow(position: number, kind?: LeadKind): Follower
}

/**
 * Lets any number of followers share one reader. A follower that is behind reads pages by itself, on demand. One that
 * has caught up waits for the shared reader.
 */
export function createTail(options: TailOptions): Tail {
  const { reader, pollMs = 500, now = () => performance.now(), budget = createByteBudget(heldMaxBytes) } = options
  let followers = 0

  async function read(after: number, kind?: LeadKind): Promise<HeldPage> {
    const share = Math.floor(budget.maxBytes / Math.max(1, followers))
    const bytes = Math.max(pageBytes.min, Math.min(pageBytes.max, share))
    const page = holdPage(await reader.readChanges(after, { rows: pageRows, bytes }, { kind }), now)
    if (page.entries?.length !== 0) budget.hold(page)
    return page
  }

  const shared = createSharedReading({ read, budget, onStored: reader.onStored, pollMs, now })

  function follow(from: number, kind?: LeadKind): Follower {
    let position = from
    let joined = false
    /** The current page, whether it belongs to this follower alone, and the index of the next entry. */
    let page: HeldPage | undefined
    let own = false
    let index = 0

    followers++

    function begin(next: HeldPage, isOwn: boolean) {
      page = next
      own = isOwn
      const first = next.entries?.findIndex((entry) => entry.position > position) ?? 0
      index = first === -1 ? Number.POSITIVE_INFINITY : first
    }

    function finish() {
      if (page !== undefined && own) budget.release(page)
      page = undefined
    }

    /** The next step of the current page. Undefined: there is no page, it is used up, or it was dropped. */
    function take(): Step | undefined {
      if (page?.entries === undefined) return undefined
      const from = position
      for (; index < page.entries.length; index++) {
        const entry = page.entries[index] as FeedEntry
        position = entry.position
        if (kind !== undefined && entry.lead.kind !== kind) continue
        index++
        return { position, entry }
      }
      position = Math.max(position, page.examined)
      if (own && !page.more) {
        shared.join(position)
        joined = true
      }
      finish()
      return position > from ? { position, entry: undefined } : undefined
    }

    async function next(waitMs: number, signal: AbortSignal): Promise<Step | undefined> {
      for (;;) {
        signal.throwIfAborted()
        const step = page?.isGood() ? take() : undefined
        if (step !== undefined) return step
        if (page?.isGood() === false) finish()
        if (joined) {
          const found = await shared.pageAfter(position, waitMs, signal)
          if (found === undefined) return undefined
          if (found !== 'gone') begin(found, false)
          else leave()
        } else {
          begin(await read(position, kind), true)
          // Delivered even if reading took longer than `waitMs`, so that every read makes progress.
          const found = take()
          if (found !== undefined) return found
        }
      }
    }

    function leave() {
      if (joined) shared.leave()
      joined = false
    }

    return {
      get position() {
        return position
      },
      next,
      close() {
        followers--
        finish()
        leave()
      },
    }
  }

  return { follow }
}
