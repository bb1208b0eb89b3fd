import type { SealEntry, Segment } from './seal.ts'

/** An entry with what a check needs beyond the seal. */
export interface CheckedEntry {
  entry: SealEntry
  /** For a lead: its personal part, or null when it is gone. */
  personal: string | null
  /** For a lead: whether the feed has a change that records its erasure. */
  erased: boolean
}

/** What an evidence check needs from a store: the tables as they are, no matter who wrote them. */
export interface EvidenceReader {
  /** At most `rows` entries after a position (possibly negative), in order. */
  checkedEntries(after: number, rows: number): Promise<CheckedEntry[]>
  /** The number of entries after one position, up to and including another. */
  countEntries(after: number, upTo: number): Promise<number>
  /** The number of leads, changes and segments whose numbers are outside the range that the calls here can read. */
  countImpossible(): Promise<number>
  /** Segments in the order of their numbers. */
  segments(after: number, rows: number): Promise<Segment[]>
  /** Which of these seals exist. */
  findSeals(seals: readonly string[]): Promise<string[]>
  /** The segment that contains a position. */
  segmentOf(position: number): Promise<Segment | undefined>
  /** All texts that evidence may refer to by hash. */
  wordings(): Promise<{ sha256: string; text: string }[]>
}

/** Lower than any position. An administrator may have inserted negative ones. */
export const beforeAll: number = -(2 ** 53)
