import type { DatabaseSync } from 'node:sqlite'
import type { Erasure, Stop } from '../../lead/stored-lead.ts'
import { prepareChange } from './change.ts'
import { busyMs, emptyLog, inTransaction } from './file.ts'
import { prepareInsertStop } from './stops.ts'

/** How long truncating the WAL may wait for readers, in milliseconds. Leads queue behind it, so it is short. */
const truncateMs = 100

const erasePersonal = 'UPDATE leads SET personal = NULL WHERE id = ?1 AND personal IS NOT NULL'

const forgetClaims = 'DELETE FROM claims WHERE lead_id = ?1'

const findErasedAt = `SELECT at FROM changes WHERE lead_id = ?1 AND what = 'erased'`

const findDue = `
  SELECT id FROM leads WHERE received_at < ?1 AND personal IS NOT NULL ORDER BY received_at LIMIT ?2`

/** The erasure calls of the writer thread. Each call is one transaction. */
export function prepareErasure(database: DatabaseSync) {
  const personal = database.prepare(erasePersonal)
  const claims = database.prepare(forgetClaims)
  const erasedAt = database.prepare(findErasedAt)
  const exists = database.prepare('SELECT 1 FROM leads WHERE id = ?1')
  const due = database.prepare(findDue)
  const appendChange = prepareChange(database)
  const insertStop = prepareInsertStop(database)

  function eraseLead(id: string, { at, reason, caller }: Erasure, withStop = false) {
    if (personal.run(id).changes === 0) return
    claims.run(id)
    appendChange(id, 'erased', at, reason, caller, withStop)
  }

  /** Truncates the WAL, which still holds erased texts. Skipped while a reader is active: the next erasure does it. */
  function truncateLog() {
    database.exec(`PRAGMA busy_timeout = ${truncateMs}`)
    emptyLog(database)
    database.exec(`PRAGMA busy_timeout = ${busyMs}`)
  }

  return {
    /** Returns when the lead was erased. Null: no such lead. */
    erase: (id: string, erasure: Erasure, stops: readonly Stop[]): string | null => {
      const at = inTransaction(database, () => {
        eraseLead(id, erasure, stops.length > 0)
        if (exists.get(id) !== undefined) stops.forEach(insertStop)
        return (erasedAt.get(id) as { at: string } | undefined)?.at ?? null
      })
      truncateLog()
      return at
    },

    /** Returns the ids of the erased leads. */
    eraseReceivedBefore: (receivedBefore: string, erasure: Erasure, limit: number): string[] => {
      const erased = inTransaction(database, () => {
        const ids = due.all(receivedBefore, limit).map(({ id }) => String(id))
        for (const id of ids) eraseLead(id, erasure)
        return ids
      })
      if (erased.length > 0) truncateLog()
      return erased
    },
  }
}
