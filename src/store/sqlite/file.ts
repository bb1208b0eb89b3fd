import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** How long a statement waits for a write lock that another process holds, in milliseconds. */
export const busyMs = 1_000

const ownerOnly = 0o600

/**
 * Creates each parent itself: with `recursive`, Node loops forever where the system reports ENOENT for a refused mkdir
 * (for example in /proc).
 */
function makeFolder(path: string) {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(path)) throw error
  }
}

/** Restricts an existing file, made by hand or by a copy, to its owner. */
function narrow(path: string) {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode
  if (mode !== undefined && (mode & 0o777) !== ownerOnly) chmodSync(path, ownerOnly)
}

/** SQLite's default: 1,000 pages of 4 KiB, so the WAL grows to 4 MiB. A small disk may not have that. */
const usualCheckpointPages = 1_000

/**
 * The WAL size, in pages, at which SQLite checkpoints. On a disk smaller than the default WAL, the checkpoint would
 * never run: the WAL alone would fill the disk.
 */
function checkpointPages(path: string): number {
  const { blocks, bsize } = statfsSync(dirname(path))
  return Math.min(usualCheckpointPages, Math.max(32, Math.floor((blocks * bsize) / 4_096 / 16)))
}

/**
 * Remembers which file is at the path. Returns a function that tells whether it is still there. A file that was removed,
 * renamed or replaced stays open, but the next start does not find what is written to it from then on.
 */
export function rememberFile(path: string): () => boolean {
  const opened = statSync(path)
  return () => {
    const present = statSync(path, { throwIfNoEntry: false })
    return present?.ino === opened.ino && present.dev === opened.dev
  }
}

/** Checkpoints and truncates the WAL, which frees its disk space. */
export function emptyLog(database: DatabaseSync): void {
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}

/** Opens the file for writing, so that every commit is on disk when it returns. */
export function openFile(path: string): DatabaseSync {
  makeFolder(dirname(path))
  // The file holds personal data: only its owner may read it. SQLite copies these permissions to the WAL files.
  closeSync(openSync(path, 'a', ownerOnly))
  for (const suffix of ['', '-wal', '-shm']) narrow(`${path}${suffix}`)
  const database = new DatabaseSync(path, { timeout: busyMs })
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  database.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages(path)}`)
  // Overwrites erased content with zeros instead of only unlinking it.
  database.exec('PRAGMA secure_delete = ON')
  return database
}

/** Runs `work` in one transaction that takes the write lock at its start. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // SQLite may have rolled back by itself when the disk was full.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
