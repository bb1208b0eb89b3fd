import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StoreError } from '../error.ts'
import { createMigrationsTable } from '../migrate.ts'
import { busyMs } from './file.ts'
import { sqliteMigrations } from './migrations.ts'

const ownerOnly = 0o600

/** Fsyncs a file, or a folder so that its entries are durable. */
function sync(path: string) {
  const handle = openSync(path, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

/** Creates the tables of the first migrations, up to `version`. */
function createSchema(database: DatabaseSync, version = Number.POSITIVE_INFINITY) {
  database.exec(createMigrationsTable)
  for (const migration of sqliteMigrations) {
    if (migration.version <= version) database.exec(migration.sql)
  }
}

/** Every table, index and trigger with its SQL. */
function schemaOf(database: DatabaseSync): string {
  const rows = database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all()
  return JSON.stringify(rows)
}

const newest = sqliteMigrations.at(-1)?.version ?? 0

/**
 * Throws a `StoreError` unless the database has exactly the tables, indexes and triggers of its version: a trigger of
 * somebody else could copy what is erased.
 */
function requireOurs(database: DatabaseSync): void {
  let version: number
  try {
    version = Number(database.prepare('SELECT max(version) AS version FROM schema_migrations').get()?.version)
  } catch {
    throw new StoreError('SQLITE_NOTADB', false, 'it is not a database of leads, or is damaged')
  }
  if (version > newest)
    throw new StoreError('newer', false, `it has schema ${version}, made by a newer version than this one`)
  using expected = new DatabaseSync(':memory:')
  createSchema(expected, version)
  if (schemaOf(database) !== schemaOf(expected))
    throw new StoreError('schema', false, 'its tables, indexes or triggers are not those of this service')
  const { integrity_check: found } = database.prepare('PRAGMA integrity_check(1)').get() ?? {}
  if (found !== 'ok') throw new StoreError('SQLITE_CORRUPT', false, `it is damaged: ${found}`)
}

/** The contents of a backup, in numbers. `newest`: when the newest lead was received. */
function summarize(database: DatabaseSync) {
  const text = 'SELECT count(*) AS leads, count(*) - count(personal) AS erased, max(received_at) AS newest FROM leads'
  const row = database.prepare(text).get()
  return { leads: Number(row?.leads), erased: Number(row?.erased), newest: row?.newest }
}

type BackupSummary = ReturnType<typeof summarize>

/** Takes the copy, as a stream. */
export type Deliver = (bytes: Readable, summary: BackupSummary) => Promise<void>

/** Called before each part of the work that blocks the event loop. */
type OnStep = (step: string) => void

/** Copies every table in one transaction, so that writers neither disturb it nor wait for it. */
function copyTables(copy: DatabaseSync, copyPath: string, path: string, onStep: OnStep) {
  copy.prepare('ATTACH ? AS source').run(path)
  if (copy.prepare('SELECT max(version) AS version FROM source.schema_migrations').get()?.version !== newest)
    throw new StoreError('schema', false, `${path} has another schema: start the service of this version first`)
  copy.exec('BEGIN IMMEDIATE')
  createSchema(copy)
  rmSync(copyPath)
  const tables = copy.prepare(`SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence'`)
  for (const { name } of tables.all()) {
    onStep(`copying ${name}`)
    copy.exec(`INSERT INTO main.${name} SELECT * FROM source.${name}`)
  }
  copy.exec(`DELETE FROM main.sqlite_sequence; INSERT INTO main.sqlite_sequence SELECT * FROM source.sqlite_sequence;
    COMMIT; DETACH source`)
}

/**
 * Copies a database while the service runs. `deliver` gets the copy as a stream. The file at `copyPath` is private
 * and loses its name while it is still empty, so a process that is killed leaves no copy behind.
 */
export async function copyDatabase(
  path: string,
  copyPath: string,
  deliver: Deliver,
  onStep: OnStep = () => {},
): Promise<void> {
  if (!existsSync(path)) throw new StoreError('ENOENT', false, `no database at ${path}`)
  const handle = openSync(copyPath, 'wx+', ownerOnly)
  try {
    using copy = new DatabaseSync(copyPath, { timeout: busyMs })
    // No journal: nothing in the copy is ever rolled back.
    copy.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF')
    copyTables(copy, copyPath, path, onStep)
    onStep('checking the copy')
    requireOurs(copy)
    await deliver(createReadStream(copyPath, { fd: handle, start: 0 }), summarize(copy))
  } finally {
    rmSync(copyPath, { force: true })
  }
}

/** Writes a stream to a new private file, durably. The file gets its name when all of it is on disk. */
export async function writeFile(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
  check = (_partial: string) => {},
): Promise<void> {
  const partial = `${file}.partial`
  // Left behind by an interrupted run.
  rmSync(partial, { force: true })
  try {
    await pipeline(bytes, createWriteStream(partial, { mode: ownerOnly, flags: 'wx' }))
    check(partial)
    sync(partial)
    renameSync(partial, file)
    sync(dirname(file))
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}

/** Writes a backup to the path of the service's database. Overwrites nothing. */
export async function restoreDatabase(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
  onStep: OnStep = () => {},
): Promise<BackupSummary> {
  for (const suffix of ['', '-wal', '-shm']) {
    if (!existsSync(`${path}${suffix}`)) continue
    const message = `${path}${suffix} already exists: stop the service and move ${path}, ${path}-wal and ${path}-shm away`
    throw new StoreError('EEXIST', false, message)
  }
  let summary: BackupSummary | undefined
  await writeFile(bytes, path, (partial) => {
    onStep('checking the database')
    using database = new DatabaseSync(partial, { readOnly: true })
    requireOurs(database)
    summary = summarize(database)
  })
  return summary as BackupSummary
}

/** Opens a database for itself, to copy it elsewhere. Throws a `StoreError` while another process has it open. */
export function openAlone(path: string): DatabaseSync {
  if (!existsSync(path)) throw new StoreError('ENOENT', false, `there is no database at ${path}: check DATABASE_URL`)
  const database = new DatabaseSync(path)
  try {
    requireOurs(database)
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode !== 5) throw error
    throw new StoreError('sqlite_5', false, `${path} is in use: stop the service first`)
  }
}
