import type { DatabaseSync } from 'node:sqlite'

/** One number for leads and changes: the next of the sequence that the table of leads has. */
const insertChange = `
  INSERT INTO changes (position, lead_id, kind, what, at, reason, caller)
  SELECT (SELECT seq + 1 FROM sqlite_sequence WHERE name = 'leads'), id, kind, ?2, ?3, ?4, ?5 FROM leads WHERE id = ?1`

const advance = `UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'leads'`

export type AppendChange = (
  leadId: string,
  what: 'erased' | 'stopped',
  at: string,
  reason: string,
  caller: string | null,
) => void

/** Adds a change to the feed, within the transaction that is open. There is a lead, so the sequence has begun. */
export function prepareChange(database: DatabaseSync): AppendChange {
  const change = database.prepare(insertChange)
  const next = database.prepare(advance)
  return (...values) => {
    change.run(...values)
    next.run()
  }
}
