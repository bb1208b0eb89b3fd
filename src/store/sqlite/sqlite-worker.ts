import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type MessagePort, workerData } from 'node:worker_threads'
import type { NewLead } from '../../lead/submission.ts'
import type { Statement } from '../database.ts'
import { busyMs, createFile, openFile } from './file.ts'

/** The answer to a call. `failure` has the members of a `StoreError`, because messages lose the class. */
export type SqliteReply = { result: unknown } | { failure: { code: string; transient: boolean; message: string } }

export type SqliteThreadData = { path: string; readOnly: boolean; port: MessagePort }

/** Result codes after which a retry may succeed: busy, locked, memory, interrupted, full (sqlite.org/rescode.html). */
const transientCodes = [5, 6, 7, 9, 13]

/** Codes that reopening the file may fix: read-only, I/O error, corrupt, cannot open, protocol, not a database. */
const reopenCodes = [8, 10, 11, 14, 15, 26]

const notNullViolation = 1_299

/** How long truncating the WAL may wait for readers, in milliseconds: briefly, because leads queue behind it. */
const truncateMs = 100

/** Messages from SQLite and the file system are safe to log, because they have no values of rows. */
function toFailure(error: NodeJS.ErrnoException & { errcode?: number; transient?: boolean }, name: keyof SqliteCalls) {
  const { errcode, syscall, code = 'unexpected', transient: isOutage = syscall !== undefined, message } = error
  if (errcode === undefined) return { code, transient: isOutage, message: `sqlite: ${message}` }
  // The primary result code is the low byte of the extended one.
  const primary = errcode & 0xff
  // No lead is at fault for a schema that differs: a missing table or column (1), or a column that we do not fill.
  const isSchema = (name === 'insert' || name === 'probe') && (primary === 1 || errcode === notNullViolation)
  const transient = isSchema || [...transientCodes, ...reopenCodes].includes(primary)
  return { code: `sqlite_${primary}`, transient, message: `sqlite_${primary}: ${message}` }
}

/** Adds the functions of PostgreSQL that the queries call. Leads and changes share the sequence of table `leads`. */
function addFunctions(database: DatabaseSync) {
  database.function('gen_random_uuid', () => randomUUID())
  database.function('nextval', (_sequence) => {
    database.exec(`UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'leads'`)
    return database.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'leads'`).get()?.seq ?? null
  })
}

/** Writes the lists of a query (`queries.ts`) as SQLite does: those in a parameter are JSON. */
function translateLists(text: string): string {
  return text
    .replace(/= ANY \((\$\d)\)/g, 'IN (SELECT value FROM json_each($1))')
    .replace(/= ANY \(ARRAY(.+?)\)$/, 'IN $1')
}

export type SqliteCalls = ReturnType<typeof openConnection>

function openConnection({ path, readOnly }: Pick<SqliteThreadData, 'path' | 'readOnly'>) {
  const database = readOnly ? new DatabaseSync(path, { readOnly, timeout: busyMs }) : openFile(path)
  if (!readOnly) addFunctions(database)
  const prepared = new Map<string, StatementSync>()
  let insertLead: ((lead: NewLead) => boolean) | undefined

  function query({ text, values = [] }: Statement): never[] {
    const statement = prepared.get(text) ?? database.prepare(translateLists(text))
    prepared.set(text, statement)
    const parameters = values.map((value, index) => {
      return [`$${index + 1}`, Array.isArray(value) ? JSON.stringify(value) : value]
    })
    return statement.all(Object.fromEntries(parameters)) as never[]
  }

  /** Runs `work` in one transaction that takes the write lock at its start. */
  function inTransaction<T>(work: () => T): T {
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

  return {
    query,
    exec: (text: string) => database.exec(text),
    change: (statements: readonly Statement[]) => inTransaction(() => statements.map(query).at(-1) ?? []),
    /** Commits a write, and proves that the tables are those that an insert needs. */
    probe: (statement: Statement) => {
      query(statement)
      prepareInsert(database)
    },
    insert: (leads: readonly NewLead[]) => {
      insertLead ??= prepareInsert(database)
      const insert = insertLead
      return inTransaction(() => leads.filter(insert).map(({ id }) => id))
    },
    /** Empties the WAL, which holds erased texts. Returns false if a program that reads the file prevents it. */
    truncate: () => {
      database.exec(`PRAGMA busy_timeout = ${truncateMs}`)
      try {
        return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0
      } finally {
        database.exec(`PRAGMA busy_timeout = ${busyMs}`)
      }
    },
    close: () => database.close(),
    /** The next call opens the file again. */
    release: () => database.close(),
  }
}

const { port, ...file }: SqliteThreadData = workerData
let database: SqliteCalls | undefined
let openedFile = ''

/** Opens the file, and again if the path leads to another one since: no later start would find leads in the old one. */
function openCurrent(): SqliteCalls {
  if (openedFile === '' && !file.readOnly) createFile(file.path)
  const { dev, ino } = statSync(file.path)
  if (openedFile !== `${dev} ${ino}`) close()
  openedFile = `${dev} ${ino}`
  database ??= openConnection(file)
  return database
}

function close(): void {
  database?.close()
  database = undefined
}

function answer(name: keyof SqliteCalls, values: unknown[]): SqliteReply {
  try {
    if (name === 'close' || name === 'release') return { result: close() }
    const call = openCurrent()[name] as (...values: unknown[]) => unknown
    return { result: call(...values) }
  } catch (error) {
    const failure = toFailure(error as Error, name)
    if (reopenCodes.some((primary) => failure.code === `sqlite_${primary}`)) close()
    return { failure }
  }
}

port.on('message', ([name, ...values]: [keyof SqliteCalls, ...unknown[]]) => {
  port.postMessage(answer(name, values))
  if (name === 'close') port.close()
})

/** Faster than one statement for all leads. Returns false, and writes nothing, if a lead is stored or a claim held. */
export function prepareInsert(database: DatabaseSync): (lead: NewLead) => boolean {
  const findClaim = database.prepare('SELECT 1 FROM claims WHERE key = ? AND ends_at > ?')
  const findLead = database.prepare('SELECT 1 FROM leads WHERE id = ?')
  const insertLead = database.prepare(
    'INSERT INTO leads (id, kind, received_at, personal, evidence, phone, email) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  // Takes over a claim that had expired when the new lead was received.
  const insertClaim = database.prepare(`
    INSERT INTO claims (key, lead_id, received_at, ends_at, content) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET lead_id = excluded.lead_id, received_at = excluded.received_at,
      ends_at = excluded.ends_at, content = excluded.content
    WHERE claims.ends_at <= excluded.received_at`)

  return ({ id, kind, receivedAt, personal, evidence, phone, email, contentHash, contentUntil, keyHash, keyUntil }) => {
    if (keyHash !== null && findClaim.get(keyHash, receivedAt) !== undefined) return false
    if (findLead.get(id) !== undefined) return false
    if (contentUntil !== null) {
      const { changes } = insertClaim.run(contentHash, id, receivedAt, contentUntil, contentHash)
      if (changes === 0) return false
    }
    insertLead.run(id, kind, receivedAt, personal, evidence, phone, email)
    if (keyHash !== null) insertClaim.run(keyHash, id, receivedAt, keyUntil, contentHash)
    return true
  }
}
