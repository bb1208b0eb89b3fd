import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { StoreError } from '../database.ts'

/** How long a statement waits for a write lock that another process holds, in milliseconds. */
export const busyMs = 1_000

export const ownerOnly = 0o600

/**
 * Creates the file and its folder, unless the path exists. Only SQLite may open a file that exists: POSIX drops all
 * locks of a process on a file when it closes any handle to it, and another program would then remove a WAL in use.
 */
export function createFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) throw new StoreError('EISDIR', false, 'it is a folder')
  // SQLite would take a device for an empty database.
  if (found && !found.isFile()) throw new StoreError('sqlite_26', false, 'it is not a file')
  if (found) return
  mkdirSync(dirname(path), { recursive: true })
  // If another process creates it meanwhile, this one has no locks on it yet.
  closeSync(openSync(path, 'a', ownerOnly))
}

/** Throws if the database is another program's. A new one has no tables. */
function requireOurs(database: DatabaseSync): void {
  const { tables, ours } = database
    .prepare(`SELECT count(*) AS tables, total(name IN ('schema_migrations', 'write_probe')) AS ours
      FROM sqlite_schema WHERE type = 'table'`)
    .get() as { tables: number; ours: number }
  if (tables > 0 && ours < 2) throw new StoreError('foreign', true, 'it is the database of another program')
}

/** Opens the existing file for writing, so that every commit is on disk when it returns. */
export function openFile(path: string): DatabaseSync {
  const url = pathToFileURL(path)
  // Without `rwc`, a file that somebody removed is not replaced by an empty one.
  url.search = 'mode=rw'
  const database = new DatabaseSync(url, { timeout: busyMs })
  try {
    requireOurs(database)
    database.exec('PRAGMA journal_mode = WAL')
    database.exec('PRAGMA synchronous = FULL')
    // Overwrites erased content with zeros.
    database.exec('PRAGMA secure_delete = ON')
    // Whoever created it: the file holds personal data. SQLite gives new WAL files the same permissions.
    for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) chmodSync(file, ownerOnly)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
