import type { SealEntry, SealStore } from '../lead/seal.ts'
import type { LeadKind } from '../lead/submission.ts'
import type { CheckedEntry, EvidenceReader } from '../lead/verify.ts'

/** What the store offers for sealing evidence and for checking it. */
export interface EvidenceStore extends SealStore, EvidenceReader {}

/** SQL: how many entries are not after position $1, and how many segments not after segment $2, for both databases. */
export function countRows(first: string, second: string): string {
  const others = (column: string, from: string) =>
    `(${column} <= ${from} OR ${column} > ${Number.MAX_SAFE_INTEGER} OR ${column} IS NULL)`
  return `
  SELECT (SELECT count(*) FROM leads WHERE ${others('position', first)})
    + (SELECT count(*) FROM changes WHERE ${others('position', first)}) AS entries,
    (SELECT count(*) FROM consent_seals WHERE ${others('segment', second)}) AS segments`
}

/** An entry of the evidence log, as both databases return it. */
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

/** An entry plus the columns that a check compares, as both databases return it. SQLite returns `erased` as 0 or 1. */
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
  // In SQLite, an administrator can store bytes in place of a text.
  const personal = row.personal === null ? null : String(row.personal)
  return { entry: toEntry(row), personal, erased: Boolean(row.erased) }
}
