import type { StopStore } from '../../lead/stored-lead.ts'
import { encodeStops, type StopRow, toStop } from '../inbox.ts'
import { locks, type PostgresConnection } from './connection.ts'
import { iso, storedChannel } from './sql.ts'

/** Inserts the stops of a JSON parameter, once per row of `given`. `given` has zero rows or one. */
export function insertStops(parameter: string, given: string): string {
  return `
    INSERT INTO stops (contact_hash, recorded_at, channels, said_at, how, caller)
    SELECT s.contact_hash, s.recorded_at, s.channels, s.said_at, s.how, s.caller
    FROM ${given} CROSS JOIN json_to_recordset(${parameter}) AS s (
      contact_hash text, recorded_at timestamptz, channels text, said_at timestamptz, how text, caller text
    )
    ON CONFLICT DO NOTHING`
}

const columns = `contact_hash, ${iso('recorded_at')} AS recorded_at, channels, ${iso('said_at')} AS said_at, how, caller`

const findAll = `SELECT ${columns} FROM stops WHERE contact_hash = ANY ($1)`

const findUnmarked = `SELECT ${columns} FROM stops WHERE NOT marked ORDER BY stops.recorded_at LIMIT $1`

/** Feed positions are assigned under the lock that orders batches. */
const markLeads = `
  WITH ordered AS MATERIALIZED (SELECT ${locks.insert}),
  changed AS (
    INSERT INTO changes (lead_id, kind, what, at, reason, caller)
    SELECT l.id, l.kind, 'stopped', $2, 'stop', $3 FROM ordered, leads l
    WHERE l.id = ANY ($1) AND l.personal IS NOT NULL
    ORDER BY l.position
    ON CONFLICT (lead_id, what, at) DO NOTHING
    RETURNING position
  )
  SELECT pg_notify('${storedChannel}', '') FROM changed LIMIT 1`

const noteMarked = `UPDATE stops SET marked = true WHERE contact_hash = $1 AND recorded_at = $2 AND NOT marked`

export function createPostgresStops(keeper: PostgresConnection, reader: PostgresConnection): StopStore {
  return {
    recordStop: async (stop) => {
      await keeper.query({ text: insertStops('$1', '(SELECT 1) once'), values: [encodeStops([stop])] })
    },
    findStops: async (contactHashes) => {
      const { rows } = await reader.query<StopRow>({ text: findAll, values: [contactHashes] })
      return rows.map(toStop)
    },
    unmarkedStops: async (limit) => {
      const { rows } = await reader.query<StopRow>({ text: findUnmarked, values: [limit] })
      return rows.map(toStop)
    },
    markStopped: async (ids, { recordedAt, caller }) => {
      await keeper.query({ text: markLeads, values: [ids, recordedAt, caller] })
    },
    stopMarked: async ({ contactHash, recordedAt }) => {
      await keeper.query({ text: noteMarked, values: [contactHash, recordedAt] })
    },
  }
}
