import type { SealEntry, Segment } from '../lead/seal.ts'
import type { SealStore } from '../lead/sealer.ts'
import type { LeadKind } from '../lead/submission.ts'
import type { Wording } from './wording.ts'

/** An entry with what a check compares beside its seal. */
export interface CheckedEntry {
  entry: SealEntry
  /** Of a lead: the text of its personal part, null when it is gone. */
  personal: string | null
  /** Of a lead: whether there is a change that says so. */
  erased: boolean
}

/** What checking the evidence needs of a store: the tables as they are, whoever has written them. */
export interface EvidenceReader {
  /** At most `rows` entries after a place, negative ones included, in order. */
  checkedEntries(after: number, rows: number): Promise<CheckedEntry[]>
  /** The number of entries up to a place. */
  countEntries(upTo: number): Promise<number>
  segments(after: number, rows: number): Promise<Segment[]>
  /** Those of these seals that are there. */
  findSeals(seals: readonly string[]): Promise<string[]>
  /** The segment that a place belongs to. */
  segmentOf(position: number): Promise<Segment | undefined>
  wordings(): Promise<Wording[]>
}

/** Sealing and checking. */
export interface EvidenceStore extends SealStore, EvidenceReader {}

/** An entry as both databases give it. */
export interface EntryRow {
  position: number
  what: string
  lead_id: string
  kind: string
  at: string
  evidence: string | null
  reason: string | null
  caller: string | null
}

/** An entry with what a check compares as both databases give it; SQLite has 0 and 1 for `erased`. */
export interface CheckedRow extends EntryRow {
  personal: string | null
  erased: boolean | number
}

export function toEntry(row: EntryRow): SealEntry {
  const { position, lead_id: leadId, at } = row
  const kind = row.kind as LeadKind
  return row.what === 'received'
    ? { what: 'received', position, leadId, kind, at, evidence: row.evidence ?? '' }
    : { what: row.what as 'erased', position, leadId, kind, at, reason: row.reason ?? '', caller: row.caller }
}

export function toCheckedEntry(row: CheckedRow): CheckedEntry {
  return { entry: toEntry(row), personal: row.personal, erased: Boolean(row.erased) }
}

/** A place before every other, as an administrator may have used negative ones. */
export const beforeAll = -(2 ** 53)
