import { type ByteBudget, createByteBudget } from './byte-budget.ts'
import { type HeldPage, holdPage } from './held-page.ts'
import { createSharedReading } from './shared-reading.ts'
import type { FeedEntry, TailReader } from './stored-lead.ts'
import type { LeadKind } from './submission.ts'

/** Entries read at a time. */
const pageRows = 250

/** Bytes read at a time. With many followers less, so that a page for each of them fits into the budget. */
const pageBytes = { min: 32 * 1_024, max: 512 * 1_024 }

/**
 * What all followers together hold that was read but not taken yet. In memory a text may take twice its bytes, and what
 * is on its way to the callers comes on top: less than 32 MiB in all (docs/specification.md §11).
 */
const heldMaxBytes = 10 * 1_024 * 1_024

export interface TailOptions {
  reader: TailReader
  /** How often to look without a signal, in milliseconds: the safety net for signals that get lost. */
  pollMs?: number
  /** Milliseconds from any fixed moment on. */
  now?: () => number
  budget?: ByteBudget
}

/** An entry; or, without one, how far the feed was examined without finding any. */
export interface Step {
  position: number
  entry: FeedEntry | undefined
}

/** One who follows the feed. */
export interface Follower {
  /** The place behind which it goes on. */
  readonly position: number
  /**
   * The next step, in the order of the feed. Undefined: nothing came within `waitMs`. Rejects with the signal's reason,
   * or with what the reader rejects with.
   */
  next(waitMs: number, signal: AbortSignal): Promise<Step | undefined>
  close(): void
}

export interface Tail {
  /** Follows the feed behind a position, or only the leads of one kind and what happens to them. */
  follow(position: number, kind?: LeadKind): Follower
}

/**
 * Follows the feed for any number of followers at the cost of one reader. A follower that is behind reads pages by
 * itself, as it asks for them; one that has caught up waits for what the one shared reading brings.
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
    /** The page that is being taken, whether it belongs to this follower alone, and what comes next of it. */
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

    /** The next step of the page at hand; undefined: there is none, or the page has been dropped. */
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
          // Handed on even if that took long: each read brings a follower on.
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
