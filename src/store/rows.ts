import type { SealEntry } from '../evidence/seal.ts'
import type { CheckedEntry } from '../evidence/verify.ts'
import type { ErasureReason, FeedEntry, FeedPage, PageBounds, Stop, StoredLead } from '../inbox/stored-lead.ts'
import type { LeadKind } from '../lead/submission.ts'
import type { Value } from './database.ts'

/** A lead as the queries return it. */
export interface LeadRow {
  position: number
  id: string
  kind: string
  received_at: string
  personal: string | null
  evidence: string
  erased_at: string | null
  erased_reason: string | null
  erased_by: string | null
  stopped_at: string | null
}

/** An entry of the feed, and the feed's last position. An empty page is one row whose `feed_position` is null. */
export interface FeedRow extends LeadRow {
  head: number
  feed_position: number | null
  entry_id: string
  entry_at: string
  what: string
}

export function toStoredLead(row: LeadRow): StoredLead {
  return {
    position: row.position,
    id: row.id,
    kind: row.kind as LeadKind,
    receivedAt: row.received_at,
    personal: row.personal,
    evidence: row.evidence,
    erasure:
      row.erased_at === null
        ? null
        : { at: row.erased_at, reason: row.erased_reason as ErasureReason, caller: row.erased_by },
    stoppedAt: row.stopped_at,
  }
}

/** Builds a feed page from rows that the query already limited to `bounds`. */
export function toFeedPage(rows: readonly FeedRow[], after: number, bounds: PageBounds): FeedPage {
  const entries: FeedEntry[] = []
  let bytes = 0
  for (const row of rows) {
    if (row.feed_position === null) continue
    const what = row.what as FeedEntry['what']
    entries.push({ position: row.feed_position, id: row.entry_id, at: row.entry_at, what, lead: toStoredLead(row) })
    bytes += Buffer.byteLength(row.personal ?? '') + Buffer.byteLength(row.evidence)
  }
  const full = entries.length >= bounds.rows || bytes >= bounds.bytes
  const last = entries.at(-1)?.position ?? after
  return { entries, examined: full ? last : Math.max(after, last, rows[0]?.head ?? 0), more: full }
}

/** A stop as the queries return it. Channel names are separated by commas. */
export interface StopRow {
  contact_hash: string
  key_id: string
  channels: string
  said_at: string
  how: string
  recorded_at: string
  caller: string | null
}

export function toStop(row: StopRow): Stop {
  return {
    contactHash: row.contact_hash,
    keyId: row.key_id,
    channels: row.channels === '' ? [] : row.channels.split(','),
    saidAt: row.said_at,
    how: row.how,
    recordedAt: row.recorded_at,
    caller: row.caller,
  }
}

/** The parameters of `insertStop`. */
export function valuesOf({ contactHash, keyId, channels, saidAt, how, recordedAt, caller }: Stop): Value[] {
  return [contactHash, keyId, channels.join(','), saidAt, how, recordedAt, caller]
}

/** An entry of the evidence log, as the queries return it. */
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

/** An entry plus the columns that a check compares. */
export interface CheckedRow extends EntryRow {
  personal: string | null
  erased: number
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
  return { entry: toEntry(row), personal, erased: row.erased === 1 }
}
