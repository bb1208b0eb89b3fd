import type { Consumers } from './consumers.ts'
import { beginning, parseCursor, renderCursor } from './cursor.ts'
import { LeadError } from './error.ts'
import { readConsumer, readTime, refuse } from './inbox-input.ts'
import type { LeadReader, StoredLead } from './stored-lead.ts'
import type { LeadKind } from './submission.ts'
import type { Tail } from './tail.ts'

/** Where a stream starts, and which leads it contains. At most one of the first three. None: at the oldest lead. */
export interface WatchInput {
  /** Empty: none. */
  cursor: string
  /** Whole milliseconds since the epoch. */
  startTimeMs: number | undefined
  startNow: boolean
  kind: LeadKind | undefined
  /** The consumer's name. Empty: none given. */
  consumer: string
}

/**
 * A lead in its current state, or, without a lead, a notice that the stream has caught up. `cursor` continues after it.
 */
export interface Watched {
  lead: StoredLead | undefined
  cursor: string
}

export interface WatchOptions {
  reader: LeadReader
  tail: Tail
  consumers: Consumers
  /** The longest silence of a stream, in milliseconds. */
  heartbeatMs?: number | undefined
  /** A monotonic clock, in milliseconds. */
  monotonicNow?: (() => number) | undefined
}

/** Validates the input, then follows the feed. */
export type Watch = (input: WatchInput, signal: AbortSignal) => Promise<AsyncIterable<Watched>>

/** Where a stream starts: after a position and, if `from` is given, at the first entry stamped at `from` or later. */
interface Start {
  position: number
  from: string | undefined
}

export function createWatch(options: WatchOptions): Watch {
  const { reader, tail, consumers, heartbeatMs = 15_000, monotonicNow = () => performance.now() } = options

  async function findStart({ cursor, startTimeMs, startNow }: WatchInput): Promise<Start> {
    const from = startTimeMs === undefined ? undefined : readTime('startTime', startTimeMs)
    const starts = { cursor: cursor !== '', startTime: from !== undefined, startNow }
    const given = Object.entries(starts).flatMap(([name, isGiven]) => (isGiven ? [name] : []))
    if (given.length > 1) {
      const hint = 'Send one of cursor, startTime and startNow, or none of them to start with the oldest lead.'
      throw refuse(String(given[1]), `cannot be sent together with ${given[0]}`, hint)
    }
    if (cursor !== '') return { position: await resume(cursor), from }
    if (from === undefined) return { position: startNow ? await reader.head() : beginning.position, from }
    // Read the head first, so that an entry committed between the two calls is after it.
    const head = await reader.head()
    const first = await reader.positionAt(from)
    return { position: first === undefined ? head : first - 1, from }
  }

  async function resume(cursor: string): Promise<number> {
    const place = parseCursor(cursor)
    if (place === undefined) {
      throw refuse('cursor', 'is not a cursor of this service', 'Send the cursor of a message, unchanged.')
    }
    if (place.position === beginning.position && place.id === beginning.id) return place.position
    if ((await reader.idAt(place.position)) === place.id) return place.position
    throw new LeadError(
      'cursor_lost',
      'This database does not know the cursor: it was restored from an older backup, or it is a different database.',
    )
  }

  async function* follow(start: Start, head: number, input: WatchInput, signal: AbortSignal): AsyncIterable<Watched> {
    const follower = tail.follow(start.position, input.kind)
    const close = consumers.open(input.consumer, () => follower.position)
    let { from } = start
    let caughtUp = false
    let lastMs = monotonicNow()
    let known = beginning

    async function caughtUpAt(position: number): Promise<Watched> {
      if (position !== known.position) known = { position, id: (await reader.idAt(position)) ?? beginning.id }
      caughtUp = true
      return { lead: undefined, cursor: renderCursor(known) }
    }

    try {
      for (;;) {
        if (!caughtUp && follower.position >= head) {
          yield await caughtUpAt(follower.position)
          lastMs = monotonicNow()
        }
        const waitMs = caughtUp ? lastMs + heartbeatMs - monotonicNow() : heartbeatMs
        const step = await follower.next(Math.max(0, waitMs), signal)
        const entry = step?.entry
        if (entry !== undefined && !(from !== undefined && entry.at < from)) {
          // An entry after the head did not exist at the call, so the stream had caught up before it.
          if (!caughtUp && entry.position > head) yield await caughtUpAt(head)
          from = undefined
          known = { position: entry.position, id: entry.id }
          yield { lead: entry.lead, cursor: renderCursor(known) }
          lastMs = monotonicNow()
        } else if (caughtUp && monotonicNow() - lastMs >= heartbeatMs) {
          yield await caughtUpAt(follower.position)
          lastMs = monotonicNow()
        }
      }
    } finally {
      close()
      follower.close()
    }
  }

  return async (input, signal) => {
    readConsumer(input.consumer)
    const start = await findStart(input)
    return follow(start, await reader.head(), input, signal)
  }
}
