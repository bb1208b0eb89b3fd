import type { LeadEraser } from '../../lead/stored-lead.ts'
import { encodeStops } from '../inbox.ts'
import { locks, type PostgresConnection } from './connection.ts'
import { iso, storedChannel } from './sql.ts'
import { insertStops } from './stops.ts'

/**
 * Erases the leads selected by the CTE `due` that are not erased yet. $1, $2 and $3 are the time, the reason and the
 * caller. Feed positions are assigned under the lock that orders batches, so a reader that continues after its last
 * position misses none.
 */
function erase(due: string, withStop: string): string {
  return `
    WITH ${due},
    ordered AS MATERIALIZED (SELECT ${locks.insert} FROM due LIMIT 1),
    erased AS (
      UPDATE leads SET personal = NULL FROM due, ordered
      WHERE leads.id = due.id AND leads.personal IS NOT NULL
      RETURNING leads.id, leads.kind, leads.position
    ),
    changed AS (
      INSERT INTO changes (lead_id, kind, what, at, reason, caller, with_stop)
      SELECT id, kind, 'erased', $1, $2, $3, ${withStop} FROM erased ORDER BY position
    ),
    claimed AS (DELETE FROM claims USING erased WHERE lead_id = erased.id),
    notified AS MATERIALIZED (SELECT pg_notify('${storedChannel}', '') FROM erased LIMIT 1)`
}

const eraseOne = `
  ${erase(`due AS MATERIALIZED (SELECT id FROM leads WHERE id = $4)`, `$5::json ->> 0 IS NOT NULL`)},
  stopped AS (${insertStops('$5', 'due')})
  SELECT (SELECT count(*) FROM erased) + (SELECT count(*) FROM notified)`

const findErasedAt = `SELECT ${iso('at')} AS at FROM changes WHERE lead_id = $1 AND what = 'erased'`

/** Maximum number of leads that one statement examines, to bound its time even when most of them are already erased. */
const span = 5_000

/**
 * Examines the leads after position $6 and erases at most $5 of those received before $4.
 */
const eraseDue = `
  ${erase(
    `
    seen AS MATERIALIZED (
      SELECT l.position, l.id, l.received_at < $4 AS old, l.personal IS NOT NULL AS kept
      FROM (SELECT * FROM leads WHERE position > $6 ORDER BY position LIMIT ${span}) l
    ),
    due AS MATERIALIZED (
      SELECT leads.id FROM leads
      WHERE position IN (SELECT position FROM seen WHERE old AND kept ORDER BY position LIMIT $5)
    )`,
    'false',
  )}
  SELECT ARRAY(SELECT id::text FROM erased) AS ids, (SELECT count(*) FROM notified) AS notified,
    (SELECT count(*) FROM seen)::int AS seen, (SELECT max(position) FROM seen)::float8 AS last,
    (SELECT min(position) FROM seen WHERE kept)::float8 AS first_kept, (SELECT bool_or(old) FROM seen) AS any_old`

interface DueRow {
  ids: string[]
  seen: number
  last: number | null
  first_kept: number | null
  any_old: boolean | null
}

/** Erases on the connection for background maintenance. */
export function createPostgresErasure(keeper: PostgresConnection): LeadEraser {
  /** All leads up to this position are erased. Retention does not examine them again while this process runs. */
  let erasedUpTo = 0

  return {
    erase: async (id, { at, reason, caller }, stops = []) => {
      await keeper.query({ text: eraseOne, values: [at, reason, caller, id, encodeStops(stops)] })
      // Another transaction may have erased the lead a moment ago, invisible to the snapshot of the statement above.
      const { rows } = await keeper.query<{ at: string }>({ text: findErasedAt, values: [id] })
      return rows[0]?.at
    },
    eraseReceivedBefore: async (receivedBefore, { at, reason, caller }, limit) => {
      const erased: string[] = []
      let from = erasedUpTo
      for (;;) {
        const values = [at, reason, caller, receivedBefore, limit - erased.length, from]
        const { rows } = await keeper.query<DueRow>({ text: eraseDue, values })
        const [row] = rows
        if (row === undefined) return erased
        erased.push(...row.ids)
        if (from === erasedUpTo && row.last !== null) {
          erasedUpTo = row.first_kept === null ? row.last : row.first_kept - 1
        }
        if (erased.length >= limit || row.seen < span || !row.any_old) return erased
        from = row.last ?? from
      }
    },
  }
}
