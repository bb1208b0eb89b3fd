import type { SealEntry, Segment } from './seal.ts'

/** An entry with what a check compares beside its seal. */
export interface CheckedEntry {
  entry: SealEntry
  /** Of a lead: the text of its personal part, null when it is gone. */
  personal: string | null
  /** Of a lead: whether there is a change that says that it was erased. */
  erased: boolean
}

/** What checking the evidence needs of a store: the tables as they are, whoever has written them. */
export interface EvidenceReader {
  /** At most `rows` entries after a place, negative ones included, in order. */
  checkedEntries(after: number, rows: number): Promise<CheckedEntry[]>
  /** The number of entries after a place and up to another. */
  countEntries(after: number, upTo: number): Promise<number>
  /** The number of leads, changes and segments whose places or numbers are beyond those that the calls here read. */
  countBeyond(): Promise<number>
  /** Segments by their numbers, in order. */
  segments(after: number, rows: number): Promise<Segment[]>
  /** Those of these seals that are there. */
  findSeals(seals: readonly string[]): Promise<string[]>
  /** The segment that a place belongs to. */
  segmentOf(position: number): Promise<Segment | undefined>
  /** Every text that evidence may name by its hash. */
  wordings(): Promise<{ sha256: string; text: string }[]>
}

/** A place before every other: an administrator may have used negative ones. */
export const beforeAll: number = -(2 ** 53)
