import type { DatabaseSync } from 'node:sqlite'
import type { Stop } from '../../lead/stored-lead.ts'
import { prepareChange } from './change.ts'
import { inTransaction } from './file.ts'

const insert = `
  INSERT INTO stops (contact_hash, recorded_at, channels, said_at, how, caller)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6
  WHERE NOT EXISTS (SELECT 1 FROM stops WHERE contact_hash = ?1 AND recorded_at = ?2)`

/** Records a stop inside the open transaction. */
export function prepareInsertStop(database: DatabaseSync): (stop: Stop) => void {
  const statement = database.prepare(insert)
  return (stop) =>
    void statement.run(stop.contactHash, stop.recordedAt, stop.channels.join(','), stop.saidAt, stop.how, stop.caller)
}

const isToMark = `
  SELECT 1 FROM leads WHERE id = ?1 AND personal IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM changes WHERE lead_id = ?1 AND what = 'stopped' AND at = ?2)`

const noteMarked = 'UPDATE stops SET marked = 1 WHERE contact_hash = ?1 AND recorded_at = ?2 AND NOT marked'

/** The calls of the writer thread for stops. Each call is one transaction. */
export function prepareStops(database: DatabaseSync) {
  const insertStop = prepareInsertStop(database)
  const toMark = database.prepare(isToMark)
  const marked = database.prepare(noteMarked)
  const appendChange = prepareChange(database)

  return {
    recordStop: (stop: Stop) => inTransaction(database, () => insertStop(stop)),
    /** Returns how many leads were marked. */
    markStopped: (ids: readonly string[], { recordedAt, caller }: Stop): number =>
      inTransaction(database, () => {
        const due = ids.filter((id) => toMark.get(id, recordedAt) !== undefined)
        for (const id of due) appendChange(id, 'stopped', recordedAt, 'stop', caller)
        return due.length
      }),
    stopMarked: ({ contactHash, recordedAt }: Stop) => void marked.run(contactHash, recordedAt),
  }
}
