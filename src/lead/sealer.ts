import { hashSegment, type SealEntry, type SealKey, type Segment } from './seal.ts'

/** What one attempt to seal sees of the store, and what it adds. */
export interface SealSession {
  last: Segment | undefined
  /** The last place below which nothing can still be committed. */
  head: number
  /** At most `rows` entries after a place and up to `head`, in order. */
  entries(after: number, rows: number): Promise<SealEntry[]>
}

/** What sealing needs of a store. Rejects with a `StoreError`. */
export interface SealStore {
  /**
   * Adds the segment that `make` gives, durably, and resolves to it. One replica at a time: undefined when another one is
   * at it, or `make` gives none.
   */
  sealNext(make: (session: SealSession) => Promise<Segment | undefined>): Promise<Segment | undefined>
  /** When the oldest entry that is not sealed was stamped; undefined: everything is sealed. */
  oldestUnsealed(): Promise<string | undefined>
}

export interface SealerOptions {
  store: SealStore
  /** The one to seal with; undefined: seals without a key. */
  key: SealKey | undefined
  /** Milliseconds since the epoch. */
  now: () => number
  /** Hears of each segment once it is durable. */
  onSealed(segment: Segment): void
}

export interface Sealer {
  /**
   * Seals what there is to seal, and gives the number of segments. Without `force`, it leaves out what comes within 15
   * seconds of the segment before, whichever replica made that.
   */
  seal(options: { force: boolean; signal?: AbortSignal }): Promise<number>
  /** For how long the oldest entry that is not sealed has been waiting, as of the last time it was looked at: seconds. */
  readonly unsealedSeconds: number
}

/** Several replicas look at different times; this keeps them from making a segment each. */
const spacingMs = 15_000

/** Entries read at a time: hashing a page holds the event loop for a few milliseconds. */
const pageRows = 500

/** Bounds one transaction, and what a check names when a segment does not hold. */
const segmentMax = 10_000

/** Seals the evidence, segment by segment (docs/specification.md §9). */
export function createSealer({ store, key, now, onSealed }: SealerOptions): Sealer {
  let oldest: string | undefined

  async function make({ last, head, entries }: SealSession, force: boolean): Promise<Segment | undefined> {
    if (!force && last !== undefined && Math.abs(now() - Date.parse(last.sealedAt)) < spacingMs) return undefined
    const number = (last?.segment ?? 0) + 1
    const hash = hashSegment(number, key, last?.seal ?? null)
    // Nothing that the service has stored has a place below 1.
    let after = last?.last ?? 0
    while (after < head && hash.entries < segmentMax) {
      const page = await entries(after, pageRows)
      for (const entry of page) hash.add(entry)
      if (page.length < pageRows) break
      after = page.at(-1)?.position ?? head
    }
    if (hash.entries === 0) return undefined
    const sealedAt = new Date(now()).toISOString()
    return { segment: number, keyId: key?.id ?? null, sealedAt, ...hash.finish(sealedAt) }
  }

  return {
    async seal({ force, signal }) {
      let count = 0
      // What follows a segment that was full belongs to the same moment.
      let goOn = force
      while (!signal?.aborted) {
        const segment = await store.sealNext((session) => make(session, goOn))
        if (segment === undefined) break
        onSealed(segment)
        count++
        goOn = true
        if (segment.entries < segmentMax) break
      }
      oldest = await store.oldestUnsealed()
      return count
    },
    get unsealedSeconds() {
      return oldest === undefined ? 0 : Math.max(0, (now() - Date.parse(oldest)) / 1_000)
    },
  }
}
