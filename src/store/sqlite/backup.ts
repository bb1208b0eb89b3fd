import { closeSync, createWriteStream, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { StoreError } from '../database.ts'
import { sqliteMigrations } from './database.ts'
import { busyMs, ownerOnly } from './file.ts'

/** Gives a finished file its name, durably. */
export function publish(partial: string, file: string): void {
  const sync = (path: string) => {
    const handle = openSync(path, 'r')
    fsyncSync(handle)
    closeSync(handle)
  }
  sync(partial)
  renameSync(partial, file)
  sync(dirname(file))
}

/** Throws a `StoreError` unless this is an undamaged database. Returns the version of its schema. */
function requireUndamaged(database: DatabaseSync): number {
  let version: number
  try {
    version = Number(database.prepare('SELECT max(version) AS version FROM schema_migrations').get()?.version)
  } catch {
    throw new StoreError('SQLITE_NOTADB', false, 'it is not a database of leads, or is damaged')
  }
  const { integrity_check: found } = database.prepare('PRAGMA integrity_check(1)').get() ?? {}
  if (found !== 'ok') throw new StoreError('SQLITE_CORRUPT', false, `it is damaged: ${found}`)
  return version
}

/** Checks a copy. Returns its schema's version, its counts of leads and erased leads, and the newest receipt's time. */
function inspect(path: string) {
  using database = new DatabaseSync(path, { readOnly: true })
  const version = requireUndamaged(database)
  const text = 'SELECT count(*) AS leads, count(*) - count(personal) AS erased, max(received_at) AS newest FROM leads'
  return { version, ...(database.prepare(text).get() as { leads: number; erased: number; newest: string | null }) }
}

/** Copies a database to a new private file while the service runs, without making writers wait. */
export function copyDatabase(path: string, copy: string) {
  if (!existsSync(path)) throw new StoreError('ENOENT', false, `no database at ${path}`)
  // SQLite accepts an empty file as a new database.
  closeSync(openSync(copy, 'wx', ownerOnly))
  // Not read-only, so that closing can remove the WAL's files, which could belong to a user other than the service's.
  using source = new DatabaseSync(path, { timeout: busyMs })
  source.prepare('VACUUM INTO ?').run(copy)
  return inspect(copy)
}

/** Writes a backup to the path of the service's database. Overwrites nothing. */
export async function restoreDatabase(bytes: AsyncIterable<Uint8Array>, path: string) {
  const files = [path, `${path}-wal`, `${path}-shm`]
  const taken = files.find((file) => existsSync(file))
  const remedy = `stop the service, and move away ${files.join(', ')}`
  if (taken) throw new StoreError('EEXIST', false, `${taken} already exists: ${remedy}`)
  const partial = `${path}.partial`
  rmSync(partial, { force: true })
  try {
    await pipeline(bytes, createWriteStream(partial, { mode: ownerOnly, flags: 'wx' }))
    const summary = inspect(partial)
    if (summary.version > sqliteMigrations.length)
      throw new StoreError('newer', false, `it has schema ${summary.version}, made by a newer version than this one`)
    publish(partial, path)
    return summary
  } finally {
    rmSync(partial, { force: true })
  }
}

/** Opens a database to copy it elsewhere. Throws a `StoreError` while another process has it open. */
export function openExclusively(path: string): DatabaseSync {
  if (!existsSync(path)) throw new StoreError('ENOENT', false, `there is no database at ${path}: check DATABASE_URL`)
  const database = new DatabaseSync(path)
  try {
    requireUndamaged(database)
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode !== 5) throw error
    throw new StoreError('sqlite_5', false, `${path} is in use: stop the service first`)
  }
}
