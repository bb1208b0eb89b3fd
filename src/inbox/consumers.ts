import { settleWithin } from '../deadline.ts'
import type { InboxStore } from './stored-lead.ts'

/** How many names get their own numbers. Each is a time series in the metrics store. */
const namesMax = 50

/** How long the metrics wait for the database, in milliseconds. Metrics matter most when it is slow. */
const lagReadMs = 1_000

export interface ConsumerLag {
  /** The name that the consumer gave, `unnamed` if none, `other` beyond the maximum number of names. */
  consumer: string
  /** Those that are open. */
  streams: number
  /** Of the stream that is furthest behind: the entries not yet sent to it, and how long the first has been waiting. */
  lag: { leads: number; seconds: number } | undefined
}

export type Consumers = ReturnType<typeof createConsumers>

/** Tracks the consumers of the feed on this replica. `now` is in milliseconds since the epoch. */
export function createConsumers(reader: Pick<InboxStore, 'head' | 'readFeed'>, now: () => number) {
  const streams = new Map<string, Set<() => number>>()

  async function readLag(positions: ReadonlySet<() => number>): Promise<ConsumerLag['lag']> {
    if (positions.size === 0) return undefined
    const head = await reader.head()
    const furthest = Math.min(head, ...Array.from(positions, (position) => position()))
    if (furthest === head) return { leads: 0, seconds: 0 }
    const { entries } = await reader.readFeed(furthest, { rows: 1, bytes: 1 })
    const waitingMs = entries[0] === undefined ? 0 : now() - Date.parse(entries[0].at)
    return { leads: head - furthest, seconds: Math.max(0, waitingMs / 1_000) }
  }

  return {
    /** Registers a stream; `position` returns its current position. Returns a function that unregisters it. */
    register(name: string, position: () => number): () => void {
      const given = name || 'unnamed'
      const label = streams.has(given) || streams.size < namesMax ? given : 'other'
      const positions = streams.get(label) ?? new Set()
      streams.set(label, positions.add(position))
      return () => void positions.delete(position)
    },

    /** A name seen once remains, with 0 streams, so that an alert detects its absence. Without a database, no lags. */
    async figures(): Promise<ConsumerLag[]> {
      const figures = Array.from(streams, async ([consumer, own]) => {
        const lag = settleWithin(lagReadMs, readLag(own), () => new Error('no answer')).catch(() => undefined)
        return { consumer, streams: own.size, lag: await lag }
      })
      return await Promise.all(figures)
    },
  }
}
