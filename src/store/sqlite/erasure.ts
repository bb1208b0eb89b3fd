import type { DatabaseSync } from 'node:sqlite'
import { busyMs, inTransaction } from './file.ts'
import type { SqliteAnswers, SqliteCalls } from './messages.ts'

/** How long the log may wait for readers to be done with it, in milliseconds: leads wait behind it. */
const truncateMs = 100

const eraseContents = `
  UPDATE leads SET content = NULL, erased_at = ?2, erased_reason = ?3
  WHERE id IN (SELECT value FROM json_each(?1)) AND erased_at IS NULL`

const eraseOrigins = `
  UPDATE consent_records SET client_address = NULL, user_agent = NULL, page_url = NULL
  WHERE lead_id IN (SELECT value FROM json_each(?1))`

const forgetClaims = `DELETE FROM recent_submissions WHERE lead_id IN (SELECT value FROM json_each(?1))`

const findErasedAt = `SELECT erased_at FROM leads WHERE id = ?1`

const findDue = `
  SELECT id FROM leads WHERE received_at < ?1 AND erased_at IS NULL ORDER BY received_at LIMIT ?2`

/** The erasing calls of the thread that writes, each one transaction. */
export function prepareErasure(
  database: DatabaseSync,
): Pick<SqliteAnswers<SqliteCalls>, 'erase' | 'eraseReceivedBefore'> {
  const contents = database.prepare(eraseContents)
  const origins = database.prepare(eraseOrigins)
  const claims = database.prepare(forgetClaims)
  const erasedAt = database.prepare(findErasedAt)
  const due = database.prepare(findDue)

  /** Gives the number of leads that had not been erased before. */
  function eraseAll(ids: unknown[], at: string, reason: string): number {
    const list = JSON.stringify(ids)
    const { changes } = contents.run(list, at, reason)
    origins.run(list)
    claims.run(list)
    return Number(changes)
  }

  /** The log still holds what the file does not any more. Who reads just now leaves it to the next time. */
  function truncateLog() {
    database.exec(`PRAGMA busy_timeout = ${truncateMs}`)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    database.exec(`PRAGMA busy_timeout = ${busyMs}`)
  }

  return {
    erase: (id, at, reason) => {
      const found = inTransaction(database, () => {
        eraseAll([id], at, reason)
        return erasedAt.get(id) as { erased_at: string } | undefined
      })
      truncateLog()
      return found?.erased_at ?? null
    },

    eraseReceivedBefore: (receivedBefore, at, reason, limit) => {
      const count = inTransaction(database, () => {
        const ids = due.all(receivedBefore, limit).map(({ id }) => id)
        return eraseAll(ids, at, reason)
      })
      if (count > 0) truncateLog()
      return count
    },
  }
}
