import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** How long a statement waits for a write lock that another process holds, in milliseconds. */
export const busyMs = 1_000

export const ownerOnly = 0o600

/** Opens the file for writing, so that every commit is on disk when it returns. */
export function openFile(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true })
  // Only the owner may read the file, which holds personal data, whoever created it. SQLite copies these permissions to
  // new WAL files.
  closeSync(openSync(path, 'a', ownerOnly))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) chmodSync(file, ownerOnly)
  const database = new DatabaseSync(path, { timeout: busyMs })
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  // Overwrites erased content with zeros.
  database.exec('PRAGMA secure_delete = ON')
  return database
}
