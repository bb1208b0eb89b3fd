import { hashSegment, type SealEntry, type SealKey, type Segment } from './seal.ts'

/** The store as seen by one attempt to seal. */
export interface SealSession {
  last: Segment | undefined
  /** The last position. No transaction in flight can still add an entry below it. */
  head: number
  /** At most `rows` entries after a position, up to `head`, in order. */
  entries(after: number, rows: number): Promise<SealEntry[]>
}

/** What sealing needs from a store. Rejects with a `StoreError`. */
export interface SealStore {
  /**
   * Stores the segment that `make` returns, durably, and resolves to it. Only one replica seals at a time. Undefined:
   * another one is sealing, or `make` returned nothing.
   */
  sealNext(make: (session: SealSession) => Promise<Segment | undefined>): Promise<Segment | undefined>
  /** When the oldest unsealed entry was stamped. Undefined: everything is sealed. */
  oldestUnsealed(): Promise<string | undefined>
}

export interface SealerOptions {
  store: SealStore
  /** The key for new segments. Undefined: seal without a key. */
  key: SealKey | undefined
  /** Milliseconds since the epoch. */
  now: () => number
  /** Called for each segment once it is durable. */
  onSealed(segment: Segment): void
}

export interface Sealer {
  /**
   * Seals the unsealed entries and returns the number of new segments. Without `force`, does nothing within 15 seconds
   * of the last segment, no matter which replica sealed it.
   */
  seal(options: { force: boolean; signal?: AbortSignal }): Promise<number>
  /** How long the oldest unsealed entry had been waiting at the last look, in seconds. */
  readonly unsealedSeconds: number
}

/** Replicas look at different times. Without this pause, each would create its own segment. */
const spacingMs = 15_000

/** Entries per read. Hashing one page blocks the event loop for a few milliseconds. */
const pageRows = 500

/** The maximum number of entries in a segment. Bounds a transaction, and how much a broken segment puts in doubt. */
const segmentMax = 10_000

/** Seals the evidence in segments (docs/specification.md §9). */
export function createSealer({ store, key, now, onSealed }: SealerOptions): Sealer {
  let oldest: string | undefined

  async function make({ last, head, entries }: SealSession, force: boolean): Promise<Segment | undefined> {
    if (!force && last !== undefined && Math.abs(now() - Date.parse(last.sealedAt)) < spacingMs) return undefined
    const number = (last?.segment ?? 0) + 1
    const hash = hashSegment(number, key, last?.seal ?? null)
    // The service never assigns a position below 1.
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
      // A full segment is followed at once by the rest of the backlog.
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
