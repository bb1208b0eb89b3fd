import { setTimeout as delay } from 'node:timers/promises'
import { LeadError } from '../lead/error.ts'
import type { LeadKind } from '../lead/submission.ts'
import { fillWords } from '../words/fill.ts'
import { inboxFaults } from '../words/inbox.ts'
import { situations } from '../words/problems.ts'
import type { Consumers } from './consumers.ts'
import { beginning, type Cursor, parseCursor, renderCursor } from './cursor.ts'
import { invalid, parseTime, requireConsumerName } from './parse-fields.ts'
import type { InboxStore, StoredLead } from './stored-lead.ts'

/** The most streams of this replica at a time. With `pageBounds`, it bounds the memory of leads that nobody reads. */
const streamsMax = 250

/** The bounds of a page. 64 KiB are about 50 usual leads. The database reads all rows before it cuts the page. */
const pageBounds = { rows: 64, bytes: 64 * 1_024 }

/** How often a stream that has caught up reads without a signal, in milliseconds, in case signals get lost. */
const pollMs = 500

/** How long a stream waits for more entries after a signal, in milliseconds: `least`, or `perStream` for each stream if that is more. */
const gatherMs = { least: 20, perStream: 2 }

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

/** A lead in its current state; without a lead, a notice that the stream has caught up. `cursor` continues after it. */
export interface Watched {
  lead: StoredLead | undefined
  cursor: string
}

export interface WatchOptions {
  reader: InboxStore
  consumers: Consumers
  /** The longest silence of a stream, in milliseconds. */
  heartbeatMs?: number | undefined
}

/** Validates the input, then follows the feed. */
export type Watch = (input: WatchInput, signal: AbortSignal) => Promise<AsyncIterable<Watched>>

/** Where a stream starts. */
interface Start {
  position: number
  /** The entry at this position, if the consumer knows it. */
  known: Cursor | undefined
  /** The first entry is stamped at this time or later. */
  from: string | undefined
}

export function createWatch(options: WatchOptions): Watch {
  const { reader, consumers, heartbeatMs = 15_000 } = options
  let streams = 0

  async function findStart({ cursor, startTimeMs, startNow }: WatchInput): Promise<Start> {
    const from = startTimeMs === undefined ? undefined : parseTime('startTime', startTimeMs)
    const starts = { cursor: cursor !== '', startTime: from !== undefined, startNow }
    const given = Object.entries(starts).flatMap(([name, isGiven]) => (isGiven ? [name] : []))
    if (given.length > 1) {
      const { detail, hint } = inboxFaults.start
      throw invalid(String(given[1]), { detail: fillWords(detail, { other: String(given[0]) }), hint })
    }
    if (cursor !== '') {
      const known = parseCursor(cursor)
      if (known === undefined) throw invalid('cursor', inboxFaults.cursor)
      await requireKnown(known)
      return { position: known.position, known, from }
    }
    if (startNow) return { position: await reader.head(), known: undefined, from }
    if (from === undefined) return { position: beginning.position, known: beginning, from }
    // Read the head first, so that an entry committed between the two calls is after it.
    const head = await reader.head()
    const first = await reader.positionAt(from)
    return { position: first === undefined ? head : first - 1, known: undefined, from }
  }

  async function requireKnown({ position, id }: Cursor): Promise<void> {
    if (position === beginning.position && id === beginning.id) return
    if ((await reader.idAt(position)) === id) return
    throw new LeadError('cursor_lost')
  }

  async function* follow(start: Start, head: number, input: WatchInput, signal: AbortSignal): AsyncIterable<Watched> {
    if (streams >= streamsMax) {
      throw new LeadError('inbox_unavailable', { detail: situations.streams_full, retryAfterSeconds: 5 })
    }
    streams++
    let { position, known, from } = start
    let caughtUp = false
    let lastMs = performance.now()
    let isSameDatabase = true
    let signaled = Promise.withResolvers<void>()
    const wake = () => signaled.resolve()
    signal.addEventListener('abort', wake)
    const closers = [
      consumers.register(input.consumer, () => position),
      reader.onStored(wake),
      reader.onReconnected(() => {
        isSameDatabase = false
        wake()
      }),
      () => signal.removeEventListener('abort', wake),
    ]

    async function caughtUpAt(at: number): Promise<Watched> {
      if (at !== known?.position) known = { position: at, id: (await reader.idAt(at)) ?? beginning.id }
      caughtUp = true
      return { lead: undefined, cursor: renderCursor(known) }
    }

    try {
      for (;;) {
        signal.throwIfAborted()
        signaled = Promise.withResolvers()
        if (!isSameDatabase) {
          isSameDatabase = true
          if (known !== undefined) await requireKnown(known)
          // A server that took over may have other entries after the last position that the consumer knows.
          position = known?.position ?? position
        }
        const page = await reader.readFeed(position, pageBounds, { kind: input.kind })
        // Reconnected during the read. Check the cursor first.
        if (!isSameDatabase) continue
        for (const entry of page.entries) {
          signal.throwIfAborted()
          if (from !== undefined && entry.at < from) continue
          // An entry after the head did not exist at the call, so the stream had caught up before it.
          if (!caughtUp && entry.position > head) yield await caughtUpAt(head)
          from = undefined
          position = entry.position
          known = { position, id: entry.id }
          yield { lead: entry.lead, cursor: renderCursor(known) }
          lastMs = performance.now()
        }
        position = page.examined
        if (caughtUp ? performance.now() - lastMs >= heartbeatMs : position >= head) {
          yield await caughtUpAt(position)
          lastMs = performance.now()
        }
        if (page.more) continue
        const timer = setTimeout(wake, Math.max(0, Math.min(pollMs, lastMs + heartbeatMs - performance.now())))
        await signaled.promise.finally(() => clearTimeout(timer))
        // All streams together read at most 500 times a second.
        if (!signal.aborted) await delay(Math.max(gatherMs.least, gatherMs.perStream * streams))
      }
    } finally {
      streams--
      for (const close of closers) close()
    }
  }

  return async (input, signal) => {
    requireConsumerName(input.consumer)
    const start = await findStart(input)
    return follow(start, await reader.head(), input, signal)
  }
}
