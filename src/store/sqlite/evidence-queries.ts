import type { DatabaseSync } from 'node:sqlite'
import type { Segment } from '../../lead/seal.ts'
import { countRows } from '../evidence.ts'
import type { Wording } from '../wording.ts'

/** Selects entries of both tables with position > ?1 and <= ?2, at most ?3 of them. The arguments add columns. */
function selectEntries(leadColumns = '', changeColumns = ''): string {
  return `
    SELECT * FROM (
      SELECT position, 'received' AS what, id AS lead_id, kind, received_at AS at, evidence, NULL AS reason, NULL AS caller
        ${leadColumns}
      FROM leads WHERE position > ?1 AND position <= ?2 ORDER BY position LIMIT ?3
    ) UNION ALL SELECT * FROM (
      SELECT position, what, lead_id, kind, at, NULL, reason, caller ${changeColumns}
      FROM changes WHERE position > ?1 AND position <= ?2 ORDER BY position LIMIT ?3
    )
    ORDER BY position, what LIMIT ?3`
}

const readChecked = selectEntries(
  `, personal, EXISTS (
        SELECT 1 FROM changes WHERE changes.lead_id = leads.id AND changes.what = 'erased'
      ) AS erased`,
  ', NULL, 0',
)

/** As REAL, because node:sqlite throws for an integer beyond 2^53, which an administrator may have stored. */
const segmentColumns = `segment, CAST(first_position AS REAL) AS first, CAST(last_position AS REAL) AS last,
  CAST(entries AS REAL) AS entries, key_id AS keyId, seal, sealed_at AS sealedAt`

const readOldest = `
  WITH sealed AS (SELECT ifnull((SELECT last_position FROM consent_seals ORDER BY segment DESC LIMIT 1), 0) AS last)
  SELECT min(at) AS at FROM (
    SELECT * FROM (SELECT received_at AS at FROM leads WHERE position > (SELECT last FROM sealed) ORDER BY position LIMIT 1)
    UNION ALL SELECT * FROM (SELECT at FROM changes WHERE position > (SELECT last FROM sealed) ORDER BY position LIMIT 1)
  )`

/** Inserts nothing if another process has sealed this segment first. */
const insertSegment = `
  INSERT INTO consent_seals (segment, first_position, last_position, entries, key_id, seal, sealed_at)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE ?1 = ifnull((SELECT max(segment) FROM consent_seals), 0) + 1`

/** The sealing calls of the writer thread. */
export function prepareSealing(database: DatabaseSync) {
  const insert = database.prepare(insertSegment)
  return {
    /** Returns false when another process has already added this segment. */
    addSegment: ({ segment, first, last, entries, keyId, seal, sealedAt }: Segment): boolean =>
      insert.run(segment, first, last, entries, keyId, seal, sealedAt).changes > 0,
  }
}

/** The calls of the reader thread for sealing and checking. Pages of entries are returned as JSON. */
export function prepareEvidence(database: DatabaseSync) {
  const entries = database.prepare(selectEntries())
  const checked = database.prepare(readChecked)
  const count = database.prepare(countRows('?1', '?2'))
  const oldest = database.prepare(readOldest)
  const segments = database.prepare(
    `SELECT ${segmentColumns} FROM consent_seals WHERE segment > ? AND segment <= ${Number.MAX_SAFE_INTEGER}
      ORDER BY segment LIMIT ?`,
  )
  const last = database.prepare(`SELECT ${segmentColumns} FROM consent_seals ORDER BY segment DESC LIMIT 1`)
  const of = database.prepare(
    `SELECT ${segmentColumns} FROM consent_seals WHERE last_position >= ? ORDER BY segment LIMIT 1`,
  )
  const seals = database.prepare('SELECT seal FROM consent_seals WHERE seal IN (SELECT value FROM json_each(?))')
  const wordings = database.prepare('SELECT sha256, text FROM wordings ORDER BY sha256')
  const toSegments = (rows: Record<string, unknown>[]) => rows.map((row) => ({ ...row }) as unknown as Segment)

  return {
    entries: (after: number, upTo: number, rows: number): string => JSON.stringify(entries.all(after, upTo, rows)),
    checkedEntries: (after: number, upTo: number, rows: number): string =>
      JSON.stringify(checked.all(after, upTo, rows)),
    countRows: (position: number, segment: number): { entries: number; segments: number } => {
      const row = count.get(position, segment)
      return { entries: Number(row?.entries), segments: Number(row?.segments) }
    },
    oldestUnsealed: () => (oldest.get()?.at as string | null | undefined) ?? undefined,
    segments: (after: number, rows: number): Segment[] => toSegments(segments.all(after, rows)),
    lastSegment: (): Segment | undefined => toSegments(last.all())[0],
    segmentOf: (position: number): Segment | undefined => toSegments(of.all(position))[0],
    findSeals: (wanted: readonly string[]): string[] =>
      seals.all(JSON.stringify(wanted)).map(({ seal }) => String(seal)),
    wordings: (): Wording[] => wordings.all().map((row) => ({ sha256: String(row.sha256), text: String(row.text) })),
  }
}
