import type { Segment } from '../../lead/seal.ts'
import { type CheckedRow, countRows, type EntryRow, type EvidenceStore, toCheckedEntry, toEntry } from '../evidence.ts'
import type { Wording } from '../wording.ts'
import type { PostgresConnection } from './connection.ts'
import { exactTime, headExpression } from './sql.ts'

/** Selects entries of both tables with position > $1 and <= $2, at most $3 of them. The arguments add columns. */
function selectEntries(leadColumns = '', changeColumns = ''): string {
  return `
    (
      SELECT position::float8 AS position, 'received' AS what, id AS lead_id, kind, ${exactTime('received_at')} AS at,
        evidence, NULL AS reason, NULL AS caller ${leadColumns}
      FROM leads WHERE position > $1 AND position <= $2 ORDER BY leads.position LIMIT $3
    ) UNION ALL (
      SELECT position::float8, what, lead_id, kind, ${exactTime('at')}, NULL, reason, caller ${changeColumns}
      FROM changes WHERE position > $1 AND position <= $2 ORDER BY changes.position LIMIT $3
    )
    ORDER BY position, what LIMIT $3`
}

const readEntries = selectEntries()

const readChecked = selectEntries(
  `, personal, EXISTS (
        SELECT FROM changes WHERE changes.lead_id = leads.id AND changes.what = 'erased'
      ) AS erased`,
  ', NULL, false',
)

const segmentColumns = `segment::float8 AS segment, first_position::float8 AS first, last_position::float8 AS last,
  entries::float8 AS entries, key_id AS "keyId", seal, ${exactTime('sealed_at')} AS "sealedAt"`

const readSegments = `SELECT ${segmentColumns} FROM consent_seals
  WHERE consent_seals.segment > $1 AND consent_seals.segment <= ${Number.MAX_SAFE_INTEGER}
  ORDER BY consent_seals.segment LIMIT $2`

const readLast = `SELECT ${segmentColumns} FROM consent_seals ORDER BY consent_seals.segment DESC LIMIT 1`

const readSegmentOf = `SELECT ${segmentColumns} FROM consent_seals WHERE last_position >= $1
  ORDER BY consent_seals.segment LIMIT 1`

/** Inserts nothing if another replica has sealed this segment first. */
const insertSegment = `
  INSERT INTO consent_seals (segment, first_position, last_position, entries, key_id, seal, sealed_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`

const readOldest = `
  WITH sealed AS (SELECT coalesce((SELECT last_position FROM consent_seals ORDER BY segment DESC LIMIT 1), 0) AS last)
  SELECT ${exactTime('least(lead, change)')} AS at FROM (
    SELECT (SELECT received_at FROM leads WHERE position > (SELECT last FROM sealed) ORDER BY position LIMIT 1) AS lead,
      (SELECT at FROM changes WHERE position > (SELECT last FROM sealed) ORDER BY position LIMIT 1) AS change
  ) oldest`

/** Reads on `reader` and writes segments on `keeper`. */
export function createPostgresEvidence(keeper: PostgresConnection, reader: PostgresConnection): EvidenceStore {
  async function read<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await reader.query<Row>({ text, values })).rows
  }

  return {
    lastSegment: async () => (await read<Segment>(readLast))[0],
    head: async () => (await read<{ head: number }>(`SELECT ${headExpression} AS head`))[0]?.head ?? 0,
    entries: async (after, upTo, rows) => (await read<EntryRow>(readEntries, [after, upTo, rows])).map(toEntry),
    addSegment: async ({ segment, first, last, entries, keyId, seal, sealedAt }) => {
      const values = [segment, first, last, entries, keyId, seal, sealedAt]
      return (await keeper.query({ text: insertSegment, values })).count > 0
    },
    oldestUnsealed: async () => (await read<{ at: string | null }>(readOldest))[0]?.at ?? undefined,
    checkedEntries: async (after, upTo, rows) =>
      (await read<CheckedRow>(readChecked, [after, upTo, rows])).map(toCheckedEntry),
    countRows: async (position, segment) => {
      const [row] = await read<{ entries: string; segments: string }>(countRows('$1', '$2'), [position, segment])
      return { entries: Number(row?.entries), segments: Number(row?.segments) }
    },
    segments: (after, rows) => read<Segment>(readSegments, [after, rows]),
    findSeals: async (seals) => {
      const found = await read<{ seal: string }>('SELECT seal FROM consent_seals WHERE seal = ANY ($1)', [seals])
      return found.map(({ seal }) => seal)
    },
    segmentOf: async (position) => (await read<Segment>(readSegmentOf, [position]))[0],
    wordings: () => read<Wording>('SELECT sha256, text FROM wordings ORDER BY sha256'),
  }
}
