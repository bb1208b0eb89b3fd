import { settleWithin } from '../deadline.ts'
import type { InboxStore } from './stored-lead.ts'

/** How many names get their own numbers. Each is a time series in the metrics store. */
const namesMax = 50

/** The name for consumers that did not identify themselves, and for those beyond the first 50 names. */
const unnamed = 'unnamed'
const other = 'other'

/** How long the metrics wait for the database, in milliseconds. Metrics matter most when it is slow. */
const lagReadMs = 1_000

/** The metrics of one consumer. */
export interface ConsumerLag {
  /** The name that the consumer gave, `unnamed` if none, `other` beyond the maximum number of names. */
  consumer: string
  /** Open streams. */
  streams: number
  /** The lag of the stream that is furthest behind. Undefined: no stream is open, or the database is unavailable. */
  lag: Lag | undefined
}

interface Lag {
  /** Feed entries not yet sent to it. */
  leads: number
  /** How long the first of them has been waiting. */
  seconds: number
}

export type Consumers = ReturnType<typeof createConsumers>

/** Tracks the consumers of the feed on this replica. `now` is in milliseconds since the epoch. */
export function createConsumers(reader: Pick<InboxStore, 'head' | 'readFeed'>, now: () => number) {
  const streams = new Map<string, Set<() => number>>()

  function labelOf(name: string): string {
    const label = name || unnamed
    return streams.has(label) || streams.size < namesMax ? label : other
  }

  async function readLag(positions: readonly number[], head: number): Promise<Lag | undefined> {
    if (positions.length === 0) return undefined
    const furthest = Math.min(head, ...positions)
    if (furthest === head) return { leads: 0, seconds: 0 }
    const { entries } = await reader.readFeed(furthest, { rows: 1, bytes: 1 })
    const waitingMs = entries[0] === undefined ? 0 : now() - Date.parse(entries[0].at)
    return { leads: head - furthest, seconds: Math.max(0, waitingMs / 1_000) }
  }

  /** Reads the lag of each name with a few small queries. */
  async function readLags(): Promise<Map<string, Lag | undefined>> {
    const positions = Array.from(streams, ([name, own]) => [name, Array.from(own, (position) => position())] as const)
    if (positions.every(([, own]) => own.length === 0)) return new Map()
    const head = await reader.head()
    return new Map(await Promise.all(positions.map(async ([name, own]) => [name, await readLag(own, head)] as const)))
  }

  return {
    /** Registers a stream; `position` returns its current position. Returns a function that unregisters it. */
    register(name: string, position: () => number): () => void {
      const label = labelOf(name)
      const positions = streams.get(label) ?? new Set()
      streams.set(label, positions.add(position))
      return () => void positions.delete(position)
    },

    /** A name seen once remains, with 0 streams, so that an alert detects its absence. Without a database, no lags. */
    async figures(): Promise<ConsumerLag[]> {
      const lags = await settleWithin(lagReadMs, readLags(), () => new Error('no answer')).catch(() => undefined)
      return Array.from(streams, ([consumer, own]) => ({ consumer, streams: own.size, lag: lags?.get(consumer) }))
    },
  }
}
