import { settleWithin } from '../deadline.ts'
import type { InboxStore } from './stored-lead.ts'

/** How many consumers get metrics of their own. Each adds a few time series. */
const namesMax = 50
/** How long a scrape waits for the database, in milliseconds. */
const lagReadMs = 1_000

export interface ConsumerLag {
  /** The name that the consumer gave, `unnamed` if none, `other` beyond the maximum number of names. */
  consumer: string
  streams: number
  /** Age of the first entry that the slowest stream has not sent. Undefined without a stream or a timely answer. */
  lagSeconds: number | undefined
}

export type Consumers = ReturnType<typeof createConsumers>

/** Tracks the consumers of the feed on this replica. `now` is in milliseconds since the epoch. */
export function createConsumers(reader: Pick<InboxStore, 'head' | 'readFeed'>, now: () => number) {
  const streams = new Map<string, Set<() => number>>()

  async function readLag(positions: ReadonlySet<() => number>): Promise<number | undefined> {
    if (positions.size === 0) return undefined
    const head = await reader.head()
    const furthest = Math.min(head, ...Array.from(positions, (position) => position()))
    if (furthest === head) return 0
    const { entries } = await reader.readFeed(furthest, { rows: 1, bytes: 1 })
    const waitingMs = entries[0] === undefined ? 0 : now() - Date.parse(entries[0].at)
    return Math.max(0, waitingMs / 1_000)
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

    /** A name remains once seen, with 0 streams, so that an alert can detect its absence. Lags need the database. */
    async readLags(): Promise<ConsumerLag[]> {
      const figures = Array.from(streams, async ([consumer, own]) => {
        const lagSeconds = await settleWithin(lagReadMs, readLag(own)).catch(() => undefined)
        return { consumer, streams: own.size, lagSeconds }
      })
      return await Promise.all(figures)
    },
  }
}
