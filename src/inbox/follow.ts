import { setTimeout as delay } from 'node:timers/promises'
import { LeadError } from '../lead/error.ts'
import type { LeadKind } from '../lead/submission.ts'
import { fillWords } from '../template.ts'
import { inboxFaults } from '../words/inbox.ts'
import { details } from '../words/problems.ts'
import type { Consumers } from './consumers.ts'
import { beginning, type Cursor, cursorAt, parseToken, renderToken } from './cursor.ts'
import { invalid, unavailable } from './parse-fields.ts'
import type { InboxStore, StoredLead, Time } from './stored-lead.ts'

/** The most streams that this replica serves. With `pageBounds`, it bounds the memory for leads waiting to be read. */
const streamsMax = 250
/** The bounds of a page, about 50 leads of the usual size. The database reads all the rows before it cuts the page. */
const pageBounds = { rows: 64, bytes: 64 * 1_024 }
/** How often a stream that has caught up reads without a signal, in milliseconds, because signals may get lost. */
const pollMs = 500
/** How long a stream waits for more entries after a signal, in milliseconds. The longer one applies. */
const gatherMs = { least: 20, perStream: 2 }

/** As in the proto file, an empty text means that none was given. */
export interface WatchInput {
  cursor: string
  startTime: Time | undefined
  startNow: boolean
  kind: LeadKind | undefined
  consumer: string
}

/** A lead in its current state, or without one, the news that the stream has caught up. `cursor` continues after it. */
export interface WatchMessage {
  lead: StoredLead | undefined
  cursor: string
}

/** Validates the input, then follows the feed. `heartbeatMs` is the longest silence of a stream. */
export function createWatch(reader: InboxStore, consumers: Consumers, heartbeatMs = 15_000) {
  let streams = 0

  /** Where a stream starts, the entry there if the consumer knows it, and the time before which entries are skipped. */
  async function findStart({ cursor, startTime: from, startNow }: WatchInput) {
    const starts = { cursor: cursor !== '', startTime: from !== undefined, startNow }
    const [first, second] = Object.entries(starts).flatMap(([name, isGiven]) => (isGiven ? name : []))
    if (first && second) {
      const { detail, hint } = inboxFaults.start
      throw invalid(second, { detail: fillWords(detail, { other: first }), hint })
    }
    if (cursor !== '') {
      const known = parseToken<Cursor>('cursor', cursor)
      if (known === undefined) throw invalid('cursor', inboxFaults.cursor)
      await requireKnown(known)
      return { position: known.position, known }
    }
    if (startNow) return { position: await reader.head() }
    if (from !== undefined) return { position: await reader.positionBefore(from), from }
    return { position: beginning.position, known: beginning }
  }

  async function requireKnown({ position, id }: Cursor): Promise<void> {
    if (position === beginning.position && id === beginning.id) return
    if ((await reader.idAt(position)) !== id) throw new LeadError('cursor_lost')
  }

  type Start = Awaited<ReturnType<typeof findStart>>

  async function* follow(start: Start, head: number, { kind, consumer }: WatchInput, signal: AbortSignal) {
    using ending = new DisposableStack()
    ending.defer(() => streams--)
    let { position, known, from } = start
    let hasCaughtUp = false
    let lastMs = performance.now()
    let isSameDatabase = true
    let signaled = Promise.withResolvers<void>()
    const wake = () => signaled.resolve()
    signal.addEventListener('abort', wake)
    ending.defer(() => signal.removeEventListener('abort', wake))
    ending.defer(consumers.register(consumer, () => position))
    ending.defer(reader.onStored(wake))
    const reconnected = () => {
      isSameDatabase = false
      wake()
    }
    ending.defer(reader.onReconnected(reconnected))

    async function caughtUpAt(at: number): Promise<WatchMessage> {
      if (at !== known?.position) known = await cursorAt(reader, at)
      hasCaughtUp = true
      return { lead: undefined, cursor: renderToken('cursor', known) }
    }

    for (;;) {
      signal.throwIfAborted()
      signaled = Promise.withResolvers()
      if (!isSameDatabase) {
        isSameDatabase = true
        if (known !== undefined) await requireKnown(known)
        // A server that took over may have other entries after the last position that the consumer knows.
        position = known?.position ?? position
      }
      const page = await reader.readFeed(position, pageBounds, kind)
      // Reconnected during the read. Check the cursor first.
      if (!isSameDatabase) continue
      for (const entry of page.entries) {
        signal.throwIfAborted()
        if (from !== undefined && entry.at < from) continue
        // An entry beyond the head did not exist when the call began, so the stream had caught up before it.
        if (!hasCaughtUp && entry.position > head) yield await caughtUpAt(head)
        from = undefined
        position = entry.position
        known = { position, id: entry.id }
        yield { lead: entry.lead, cursor: renderToken('cursor', known) }
        lastMs = performance.now()
      }
      position = page.examined
      if (hasCaughtUp ? performance.now() - lastMs >= heartbeatMs : position >= head) {
        yield await caughtUpAt(position)
        lastMs = performance.now()
      }
      if (page.hasMore) continue
      const timer = setTimeout(wake, Math.max(0, Math.min(pollMs, lastMs + heartbeatMs - performance.now())))
      await signaled.promise.finally(() => clearTimeout(timer))
      // All streams together read at most 500 times a second.
      if (!signal.aborted) await delay(Math.max(gatherMs.least, gatherMs.perStream * streams))
    }
  }

  return async (input: WatchInput, signal: AbortSignal): Promise<AsyncIterable<WatchMessage>> => {
    if (!/^[A-Za-z0-9._-]{0,50}$/.test(input.consumer)) throw invalid('consumer', inboxFaults.consumer)
    const start = await findStart(input)
    const head = await reader.head()
    if (streams >= streamsMax) throw unavailable(details.streams_full)
    // Until the iterable ends, which the caller must read.
    streams++
    return follow(start, head, input, signal)
  }
}
