import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { StoreError } from '../error.ts'
import { busyMs } from './file.ts'
import { sqliteMigrations } from './migrations.ts'

/** What a backup holds. */
export interface BackupSummary {
  leads: number
  erased: number
  /** When the newest lead was received; undefined without leads. */
  newest: string | undefined
  bytes: number
}

const ownerOnly = 0o600

/** Waits until a file, or the names in a folder, are on disk. */
function sync(path: string) {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Has `fill` write to an empty file beside `file`, checks it, and gives it its name when it is on disk. SQLite keeps the mode
 * of a file that is there.
 */
export async function writeBackup(file: string, fill: (partial: string) => Promise<void>): Promise<BackupSummary> {
  const partial = `${file}.partial`
  // What an interrupted run has left.
  rmSync(partial, { force: true })
  closeSync(openSync(partial, 'wx', ownerOnly))
  try {
    await fill(partial)
    const summary = inspectBackup(partial)
    sync(partial)
    renameSync(partial, file)
    sync(dirname(file))
    return summary
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}

/**
 * Copies one moment of a database. `VACUUM INTO` reads in one transaction, which writers do not disturb; the backup of
 * the `sqlite3` shell begins anew with every commit, and never ends under load.
 */
export function copyInto(path: string, partial: string): void {
  if (!existsSync(path)) throw new StoreError('ENOENT', false, `there is no database at ${path}`)
  const database = new DatabaseSync(path, { readOnly: true, timeout: busyMs })
  try {
    database.prepare('VACUUM INTO ?').run(partial)
  } finally {
    database.close()
  }
}

/** Reads the whole backup. Throws a `StoreError` that says why it cannot be used. */
export function inspectBackup(file: string): BackupSummary {
  if (!existsSync(file)) throw new StoreError('ENOENT', false, `there is no file ${file}`)
  try {
    return inspect(file)
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError('SQLITE_NOTADB', false, `${file} is no backup of leads, or is damaged`)
  }
}

function inspect(file: string): BackupSummary {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const one = (sql: string) => database.prepare(sql).get() as Record<string, number | string | null>
    const { integrity_check: found } = one('PRAGMA integrity_check(1)')
    if (found !== 'ok') throw new StoreError('SQLITE_CORRUPT', false, `${file} is damaged: ${found}`)
    const { version } = one('SELECT max(version) AS version FROM schema_migrations')
    const newest = sqliteMigrations.at(-1)?.version ?? 0
    if (Number(version) > newest) {
      throw new StoreError('newer', false, `${file} has schema ${version}, made by a newer version than this one`)
    }
    const row = one(
      'SELECT count(*) AS leads, count(*) - count(personal) AS erased, max(received_at) AS newest FROM leads',
    )
    return {
      leads: Number(row.leads),
      erased: Number(row.erased),
      newest: row.newest === null ? undefined : String(row.newest),
      bytes: statSync(file).size,
    }
  } finally {
    database.close()
  }
}

/** Puts a copy of a backup where the service will look for its database. Replaces nothing. */
export async function restoreFile(file: string, path: string): Promise<BackupSummary> {
  for (const suffix of ['', '-wal', '-shm']) {
    if (!existsSync(`${path}${suffix}`)) continue
    const message = `${path}${suffix} is there already: stop the service and move ${path}, ${path}-wal and ${path}-shm away`
    throw new StoreError('EEXIST', false, message)
  }
  inspectBackup(file)
  // Not `copyFile`, which takes the mode of the backup over, and that may be open to others.
  return writeBackup(path, (partial) => pipeline(createReadStream(file), createWriteStream(partial)))
}
