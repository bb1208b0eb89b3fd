import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** How long a statement may wait for another process that writes, in milliseconds. */
export const busyMs = 1_000

const ownerOnly = 0o600

/** Not `recursive`: Node never returns from that where the system refuses folders as if the parent were missing (/proc). */
function makeFolder(path: string) {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have made it a moment ago.
    if (!existsSync(path)) throw error
  }
}

/** Takes a file that was made by hand or by a copy from everyone but its owner. */
function narrow(path: string) {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode
  if (mode !== undefined && (mode & 0o777) !== ownerOnly) chmodSync(path, ownerOnly)
}

/** SQLite's own, in pages of 4 KiB: 4 MiB of log, which a small disk may not have. */
const usualCheckpointPages = 1_000

/**
 * After how many pages the log is written back to the database, so that it can be begun anew. On a disk that is smaller than
 * the usual number, that would never happen: the log alone would fill it.
 */
function checkpointPages(path: string): number {
  const { blocks, bsize } = statfsSync(dirname(path))
  return Math.min(usualCheckpointPages, Math.max(32, Math.floor((blocks * bsize) / 4_096 / 16)))
}

/** Writes the log back to the database and empties it, which gives its room on the disk back. */
export function emptyLog(database: DatabaseSync): void {
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}

/** Opens the file for one writer, made durable: every commit is on disk when it returns. */
export function openFile(path: string): DatabaseSync {
  makeFolder(dirname(path))
  // The file holds personal data: only its owner may read it. SQLite gives new files beside it the same mode.
  closeSync(openSync(path, 'a', ownerOnly))
  for (const suffix of ['', '-wal', '-shm']) narrow(`${path}${suffix}`)
  const database = new DatabaseSync(path, { timeout: busyMs })
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  database.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages(path)}`)
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
