import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

/** Leads and changes share one sequence: the AUTOINCREMENT sequence of the table `leads`. */
const insertChange = `
  INSERT INTO changes (position, id, lead_id, kind, what, at, reason, caller, with_stop)
  SELECT (SELECT seq + 1 FROM sqlite_sequence WHERE name = 'leads'), ?1, id, kind, ?3, ?4, ?5, ?6, ?7
  FROM leads WHERE id = ?2`

const advance = `UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'leads'`

export type AppendChange = (
  leadId: string,
  what: 'erased' | 'stopped',
  at: string,
  reason: string,
  caller: string | null,
  withStop?: boolean,
) => void

/** Appends a change to the feed, inside the open transaction. The lead exists, so the sequence exists too. */
export function prepareChange(database: DatabaseSync): AppendChange {
  const change = database.prepare(insertChange)
  const next = database.prepare(advance)
  return (leadId, what, at, reason, caller, withStop = false) => {
    change.run(randomUUID(), leadId, what, at, reason, caller, withStop ? 1 : 0)
    next.run()
  }
}
