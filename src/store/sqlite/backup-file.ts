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

/** The contents of a backup, in numbers. */
export interface BackupSummary {
  leads: number
  erased: number
  /** When the newest lead was received. Undefined: there are no leads. */
  newest: string | undefined
  bytes: number
}

const ownerOnly = 0o600

/** Fsyncs a file, or a folder so that its entries are durable. */
function sync(path: string) {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Has `fill` write an empty temporary file next to `file`, verifies it, fsyncs it, and renames it to `file`. SQLite
 * keeps the permissions of an existing file, so the backup stays private.
 */
export async function writeBackup(file: string, fill: (partial: string) => Promise<void>): Promise<BackupSummary> {
  const partial = `${file}.partial`
  // Left behind by an interrupted run.
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
 * Copies a consistent snapshot of a database. `VACUUM INTO` reads in one transaction, so writers do not disturb it. The
 * `.backup` command of the `sqlite3` shell restarts at every commit and never finishes under load.
 */
export function copyInto(path: string, partial: string): void {
  if (!existsSync(path)) throw new StoreError('ENOENT', false, `no database at ${path}`)
  const database = new DatabaseSync(path, { readOnly: true, timeout: busyMs })
  try {
    database.prepare('VACUUM INTO ?').run(partial)
  } finally {
    database.close()
  }
}

/** Reads and verifies the whole backup. Throws a `StoreError` that says why it cannot be used. */
export function inspectBackup(file: string): BackupSummary {
  if (!existsSync(file)) throw new StoreError('ENOENT', false, `no such file: ${file}`)
  try {
    return inspect(file)
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError('SQLITE_NOTADB', false, `${file} is not a backup of leads, or is damaged`)
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

/** Copies a backup to the path of the service's database. Overwrites nothing. */
export async function restoreFile(file: string, path: string): Promise<BackupSummary> {
  for (const suffix of ['', '-wal', '-shm']) {
    if (!existsSync(`${path}${suffix}`)) continue
    const message = `${path}${suffix} already exists: stop the service and move ${path}, ${path}-wal and ${path}-shm away`
    throw new StoreError('EEXIST', false, message)
  }
  inspectBackup(file)
  // Not `copyFile`: it copies the file mode of the backup, which may be readable by others.
  return writeBackup(path, (partial) => pipeline(createReadStream(file), createWriteStream(partial)))
}
