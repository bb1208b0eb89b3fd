import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { createKey, type SecretKey } from '../lead/fingerprint.ts'
import type { LeadKind } from '../lead/submission.ts'

/** A feed entry as it is sealed. It excludes what an erasure removes, so a seal stays valid after an erasure. */
export type SealEntry = { position: number; leadId: string; kind: LeadKind; at: string } & (
  | { what: 'received'; evidence: string }
  | { what: 'erased' | 'stopped'; reason: string; caller: string | null }
)

/** A sealed range of the feed (docs/specification.md §9). */
export interface Segment {
  /** Starts at 1 and has no gaps. */
  segment: number
  /** The positions of its first and last entry. */
  first: number
  last: number
  /** How many entries it has. */
  entries: number
  /** Null: sealed without a key. */
  keyId: string | null
  /** 64 hexadecimal digits. */
  seal: string
  /** RFC 3339 in UTC with milliseconds. */
  sealedAt: string
}

/** The message of the log line about a sealed segment. `consent:verify --witness` searches for its seal. */
export const sealedMessage = 'evidence sealed'

/** Creates the keys from the texts of `CONSENT_SEAL_KEY`. The first one seals new segments. */
export function createSealKeys(secrets: readonly string[]): SecretKey[] {
  return secrets.map((secret) => createKey(secret, 'consent seal'))
}

/**
 * Starts the seal of a segment: HMAC-SHA256, or SHA-256 without a key, over lines of JSON. The first line has the
 * segment's number and the previous seal. Then comes one line per entry, in order. The last line has the positions, the
 * count and the time.
 */
export function hashSegment(segment: number, key: SecretKey | undefined, previousSeal: string | null) {
  const hash: Hash | Hmac = key === undefined ? createHash('sha256') : createHmac('sha256', key.secret)
  const write = (...values: unknown[]) => hash.update(`${JSON.stringify(values)}\n`)
  let first = 0
  let last = 0
  let entries = 0
  const finish = (sealedAt: string) => {
    write('end', first, last, entries, sealedAt)
    return { first, last, entries, seal: hash.digest('hex') }
  }
  write('segment', segment, key?.id ?? null, previousSeal)
  return {
    add(entry: SealEntry) {
      const { what, position, leadId, kind, at } = entry
      if (entry.what === 'received') write(position, what, leadId, kind, at, entry.evidence)
      else write(position, what, leadId, kind, at, entry.reason, entry.caller)
      if (entries === 0) first = position
      last = position
      entries++
    },
    get entries() {
      return entries
    },
    finish,
    /** Whether a stored segment has this seal over these entries. */
    fits(stored: Segment): boolean {
      const { seal } = finish(stored.sealedAt)
      return seal === stored.seal && first === stored.first && last === stored.last && entries === stored.entries
    },
  }
}

/** An entry, with what a check needs besides the sealed values. */
export type CheckedEntry = SealEntry & {
  /** For a lead: its personal part, or null when it is gone. */
  personal: string | null
  /** For a lead: 1 if the feed has a change that records its erasure. */
  erased: 0 | 1
}

/** The evidence in a database: the tables as they are, no matter who wrote them. Rejects with a `StoreError`. */
export interface EvidenceStore {
  lastSegment(): Promise<Segment | undefined>
  /** The last position. No transaction in flight can still add an entry below it. */
  head(): Promise<number>
  /** At most `rows` entries after one position, up to and including another, in order. */
  entries(after: number, upTo: number, rows: number): Promise<SealEntry[]>
  checkedEntries(after: number, upTo: number, rows: number): Promise<CheckedEntry[]>
  /** Stores a segment durably. False: another replica has stored one with this number. */
  addSegment(segment: Segment): Promise<boolean>
  /** When the oldest unsealed entry was stamped. Undefined: everything is sealed. */
  oldestUnsealed(): Promise<string | undefined>
  /** At most `rows` segments with higher numbers, in order. */
  segments(after: number, rows: number): Promise<Segment[]>
  /** The segment that contains a position. */
  segmentOf(position: number): Promise<Segment | undefined>
  /**
   * How many entries and segments there are, without those after `position` and `segment`: they may have come during
   * the check. Counts rows with numbers that the service cannot have assigned.
   */
  countRows(position: number, segment: number): Promise<{ entries: number; segments: number }>
  /** Which of these seals exist. */
  findSeals(seals: readonly string[]): Promise<string[]>
  /** All texts that evidence may refer to by hash. */
  wordings(): Promise<{ sha256: string; text: string; version: string; since: string }[]>
}

/** Entries per read, to bound the memory. Hashing them blocks the event loop for a few milliseconds. */
const pageRows = 500

/** Reads all entries after one position, up to and including another, in pages. */
export async function* readPages<Entry extends SealEntry>(
  read: (after: number, upTo: number, rows: number) => Promise<Entry[]>,
  after: number,
  upTo: number,
): AsyncGenerator<Entry[]> {
  let from = after
  let page: Entry[]
  do {
    page = await read(from, upTo, pageRows)
    yield page
    from = page.at(-1)?.position ?? from
  } while (page.length === pageRows)
}

export interface SealerOptions {
  store: EvidenceStore
  /** The key for new segments. Undefined: seal without a key. */
  key: SecretKey | undefined
  /** Milliseconds since the epoch. */
  now: () => number
  /** Called for each segment once it is durable. */
  onSealed(segment: Segment): void
}

/** The pause between two segments, in milliseconds. Without it, each replica would make segments of its own. */
const spacingMs = 15_000

/** The maximum number of entries in a segment. Bounds how much a broken segment puts in doubt. */
const segmentMax = 10_000

/** Seals the evidence in segments (docs/specification.md §9). */
export function createSealer({ store, key, now, onSealed }: SealerOptions) {
  let oldest: string | undefined

  /** The segment of what follows the last one. Undefined: there is nothing to seal. */
  async function makeSegment(last: Segment | undefined): Promise<Segment | undefined> {
    const head = await store.head()
    const number = (last?.segment ?? 0) + 1
    const hash = hashSegment(number, key, last?.seal ?? null)
    // The service never assigns a position below 1.
    for await (const page of readPages(store.entries, last?.last ?? 0, head)) {
      for (const entry of page) hash.add(entry)
      if (hash.entries >= segmentMax) break
    }
    if (hash.entries === 0) return undefined
    const sealedAt = new Date(now()).toISOString()
    return { segment: number, keyId: key?.id ?? null, sealedAt, ...hash.finish(sealedAt) }
  }

  return {
    /** Seals what is unsealed; without `force`, not within 15 seconds of the last segment. Returns how many it made. */
    async seal({ force, signal }: { force: boolean; signal?: AbortSignal }): Promise<number> {
      let count = 0
      let last = await store.lastSegment()
      const isEarly = !force && last !== undefined && Math.abs(now() - Date.parse(last.sealedAt)) < spacingMs
      // A full segment is followed at once by the rest of the backlog.
      for (let more = !isEarly; more && !signal?.aborted; ) {
        const segment = await makeSegment(last)
        if (segment === undefined || !(await store.addSegment(segment))) break
        onSealed(segment)
        count++
        last = segment
        more = segment.entries >= segmentMax
      }
      oldest = await store.oldestUnsealed()
      return count
    },
    /** How long the oldest entry that the last call of `seal` left unsealed has been waiting, in seconds. */
    get unsealedSeconds(): number {
      return oldest === undefined ? 0 : Math.max(0, (now() - Date.parse(oldest)) / 1_000)
    },
  }
}
