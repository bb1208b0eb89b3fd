import { DatabaseSync } from 'node:sqlite'
import type { LeadRow, StopRow } from '../inbox.ts'
import { prepareEvidence } from './evidence-queries.ts'
import { busyMs } from './file.ts'

const leadColumns = `l.position, l.id, l.kind, l.received_at, l.personal, l.evidence,
  erased.at AS erased_at, erased.reason AS erased_reason, erased.caller AS erased_by,
  ifnull(
    CASE WHEN erased.with_stop THEN erased.at END,
    (SELECT max(at) FROM changes WHERE lead_id = l.id AND what = 'stopped')
  ) AS stopped_at`

const withErasure = `
  LEFT JOIN changes erased ON l.personal IS NULL AND erased.lead_id = l.id AND erased.what = 'erased'`

/** The filter condition on leads. A null parameter disables its part of the filter. */
function passes(firstParameter: number): string {
  const [kind, after, before] = [0, 1, 2].map((index) => `?${firstParameter + index}`)
  return `(${kind} IS NULL OR l.kind = ${kind}) AND (${after} IS NULL OR l.received_at >= ${after})
    AND (${before} IS NULL OR l.received_at < ${before})`
}

/** The leads after a position, in order. */
export const readLeads = `
  SELECT ${leadColumns} FROM leads l ${withErasure}
  WHERE l.position > ?1 AND ${passes(3)} ORDER BY l.position LIMIT ?2`

const findLead = `SELECT ${leadColumns} FROM leads l ${withErasure} WHERE l.id = ?1`

const headExpression =
  'max(0, ifnull((SELECT max(position) FROM leads), 0), ifnull((SELECT max(position) FROM changes), 0))'

/** SQLite stores text as UTF-8, so `octet_length` is the size of the text in a message. */
const size = `ifnull(octet_length(personal), 0) + octet_length(evidence)`

/** The feed after a position, limited by rows and by bytes. */
const readFeed = `
  WITH page AS (
    SELECT * FROM (
      SELECT l.position AS feed_position, l.id AS entry_id, l.received_at AS entry_at, 'received' AS what, l.* FROM leads l
      WHERE l.position > ?1 AND (?4 IS NULL OR l.kind = ?4) ORDER BY l.position LIMIT ?2
    ) UNION ALL SELECT * FROM (
      SELECT c.position, c.id, c.at, c.what, l.* FROM changes c CROSS JOIN leads l ON l.id = c.lead_id
      WHERE c.position > ?1 AND (?4 IS NULL OR c.kind = ?4) ORDER BY c.position LIMIT ?2
    )
    ORDER BY feed_position LIMIT ?2
  ),
  l AS (
    SELECT *, sum(${size}) OVER (ORDER BY feed_position) - (${size}) AS size_before FROM page
  )
  SELECT l.feed_position, l.entry_id, l.entry_at, l.what, ${leadColumns} FROM l ${withErasure}
  WHERE l.size_before < ?3 ORDER BY l.feed_position`

const scanLeads = `
  WITH l AS (SELECT * FROM leads WHERE position > ?1 ORDER BY position LIMIT ?2)
  SELECT ${leadColumns} FROM l ${withErasure}
  WHERE instr(lower(l.personal), lower(?3)) > 0 AND ${passes(4)} ORDER BY l.position`

const scanEnd = `
  SELECT max(position) AS last, count(*) AS count
  FROM (SELECT position FROM leads WHERE position > ?1 ORDER BY position LIMIT ?2)`

const findId = `
  SELECT id FROM leads WHERE position = ?1 UNION ALL SELECT id FROM changes WHERE position = ?1`

const findPositionAt = `
  SELECT min(position) AS position FROM (
    SELECT min(position) AS position FROM leads INDEXED BY leads_received WHERE received_at >= ?1
    UNION ALL SELECT min(position) FROM changes INDEXED BY changes_at WHERE at >= ?1
  )`

const stopColumns = 'contact_hash, channels, said_at, how, recorded_at, caller'

const findStops = `
  SELECT ${stopColumns} FROM stops WHERE contact_hash IN (SELECT value FROM json_each(?1))`

const findUnmarked = `SELECT ${stopColumns} FROM stops WHERE NOT marked ORDER BY recorded_at LIMIT ?1`

/** The calls of the reader thread. A separate thread, so that long reads never block writes. */
export type SqliteReader = ReturnType<typeof openReader>

/**
 * Opens a migrated database read-only. Throws what `node:sqlite` throws. Returns pages of leads as JSON, which crosses
 * the thread boundary faster than row objects (measured).
 */
export function openReader(path: string) {
  const database = new DatabaseSync(path, { readOnly: true, timeout: busyMs })
  const leads = database.prepare(readLeads)
  const lead = database.prepare(findLead)
  const feed = database.prepare(readFeed)
  const scan = database.prepare(scanLeads)
  const end = database.prepare(scanEnd)
  const id = database.prepare(findId)
  const head = database.prepare(`SELECT ${headExpression} AS head`)
  const positionAt = database.prepare(findPositionAt)
  const stops = database.prepare(findStops)
  const unmarked = database.prepare(findUnmarked)

  /** Runs several statements on one snapshot. */
  function atOnce<T>(read: () => T): T {
    database.exec('BEGIN')
    try {
      return read()
    } finally {
      database.exec('COMMIT')
    }
  }
  const readHead = () => Number(head.get()?.head)
  const toRows = <Row>(rows: Record<string, unknown>[]) => rows.map((row) => ({ ...row }) as Row)

  return {
    readAfter: (after: number, limit: number, ...filter: (string | null)[]): string =>
      JSON.stringify(leads.all(after, limit, ...filter)),
    readFeed: (after: number, rows: number, bytes: number, kind: string | null): { rows: string; head: number } =>
      atOnce(() => ({ rows: JSON.stringify(feed.all(after, rows, bytes, kind)), head: readHead() })),
    scan: (after: number, limit: number, needle: string, ...filter: (string | null)[]) =>
      atOnce(() => ({
        rows: JSON.stringify(scan.all(after, limit, needle, ...filter)),
        ...(end.get(after, limit) as { last: number | null; count: number }),
      })),
    find: (leadId: string): LeadRow | null => toRows<LeadRow>(lead.all(leadId))[0] ?? null,
    idAt: (position: number): string | null => (id.get(position)?.id as string | undefined) ?? null,
    head: readHead,
    positionAt: (time: string): number | null => positionAt.get(time)?.position as number | null,
    findStops: (hashes: readonly string[]): StopRow[] => toRows(stops.all(JSON.stringify(hashes))),
    unmarkedStops: (limit: number): StopRow[] => toRows(unmarked.all(limit)),
    ...prepareEvidence(database),
    close: () => database.close(),
  }
}
