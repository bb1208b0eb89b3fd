import { DatabaseSync } from 'node:sqlite'
import { consentColumns, type InboxRow } from '../inbox.ts'
import { busyMs } from './file.ts'
import type { SqliteAnswers, SqliteReaderCalls } from './messages.ts'

const selectLeads = `
  SELECT l.position, l.id, l.form_type, l.received_at, l.content, l.erased_at, l.erased_reason,
    c.received_at AS consent_received_at, ${consentColumns.map((column) => `c.${column}`).join(', ')}
  FROM leads l LEFT JOIN consent_records c ON c.lead_id = l.id`

/** The leads after a position, in order. */
export const readLeads = `
  ${selectLeads}
  WHERE l.position > ?1
    AND (?3 IS NULL OR l.form_type = ?3)
    AND (?4 IS NULL OR l.received_at >= ?4)
    AND (?5 IS NULL OR l.received_at < ?5)
  ORDER BY l.position LIMIT ?2`

const findLead = `${selectLeads} WHERE l.id = ?1`

/** Opens a database that is up to date, for reading alone. Throws what `node:sqlite` throws. */
export function openReader(path: string): SqliteAnswers<SqliteReaderCalls> {
  const database = new DatabaseSync(path, { readOnly: true, timeout: busyMs })
  const leads = database.prepare(readLeads)
  const lead = database.prepare(findLead)
  const id = database.prepare('SELECT id FROM leads WHERE position = ?1')

  return {
    readAfter: (...args) => JSON.stringify(leads.all(...args)),
    find: (leadId) => {
      const row = lead.get(leadId)
      return row === undefined ? null : ({ ...row } as unknown as InboxRow)
    },
    idAt: (position) => {
      const row = id.get(position)
      return row === undefined ? null : String(row.id)
    },
    close: () => {
      database.close()
      return null
    },
  }
}
