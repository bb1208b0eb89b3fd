import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** How long a statement may wait for another process that writes, in milliseconds. */
export const busyMs = 1_000

/** Opens the file for one writer, made durable: every commit is on disk when it returns. */
export function openFile(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true })
  // The file holds personal data: made here, so that nobody else can read it, nor the files beside it.
  closeSync(openSync(path, 'a', 0o600))
  const database = new DatabaseSync(path, { timeout: busyMs })
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  // What is erased is overwritten, not only unlinked.
  database.exec('PRAGMA secure_delete = ON')
  return database
}

/** Runs `work` in one transaction that holds the write lock from its beginning. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // A full disk may have ended the transaction already.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
