import { randomUUID } from 'node:crypto'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import type { NewLead } from '../../lead/submission.ts'
import type { Statement } from '../database.ts'
import { busyMs, openFile } from './file.ts'
import { prepareInsert } from './insert.ts'
import type { SqliteCall, SqliteReply, SqliteResult, SqliteThreadData } from './thread.ts'

/** Result codes after which a call may succeed later (sqlite.org/rescode.html): 5 busy, 6 locked, 7 memory, 9 interrupted, 13 full. */
const passing = new Set([5, 6, 7, 9, 13])

/** Those that reopening the file may fix: read-only, I/O error, corrupt, cannot open, protocol, not a database. */
const reopening = new Set([8, 10, 11, 14, 15, 26])

/** How long truncating the WAL may wait for readers, in milliseconds. Leads queue behind it, so it is short. */
const truncateMs = 100

function primaryCode(error: unknown): number | undefined {
  // The primary result code is the low byte of the extended one.
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
}

/** Messages from SQLite and the file system are safe to log: they name columns, constraints and paths, never values. */
function toFailure(error: unknown) {
  const message = error instanceof Error ? error.message : 'unexpected'
  const primary = primaryCode(error)
  if (primary !== undefined) {
    const code = `sqlite_${primary}`
    return { code, transient: passing.has(primary) || reopening.has(primary), message: `${code}: ${message}` }
  }
  const system = error instanceof Error && 'syscall' in error && 'code' in error
  return { code: system ? String(error.code) : 'unexpected', transient: system, message: `sqlite: ${message}` }
}

/** Adds the functions of PostgreSQL that the queries call. Leads and changes share the sequence of the table `leads`. */
function addFunctions(database: DatabaseSync) {
  database.function('gen_random_uuid', () => randomUUID())
  database.function('nextval', (_sequence) => {
    database.exec(`UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'leads'`)
    return database.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'leads'`).get()?.seq ?? null
  })
}

/** Translates a query, which is written for PostgreSQL. */
function translate(text: string): string {
  return text
    .replace(/= ANY \(\$(\d+)\)/g, 'IN (SELECT value FROM json_each(?$1))')
    .replace(/= ANY \(ARRAY(.+?)\)$/, 'IN $1')
    .replaceAll('$', '?')
}

/** A file and its prepared statements. */
function openDatabase({ path, readOnly }: Pick<SqliteThreadData, 'path' | 'readOnly'>) {
  const database = readOnly ? new DatabaseSync(path, { readOnly, timeout: busyMs }) : openFile(path)
  if (!readOnly) addFunctions(database)
  const prepared = new Map<string, StatementSync>()
  let insert: ((lead: NewLead) => boolean) | undefined

  function run({ text, values }: Statement): SqliteResult {
    if (values === undefined && !/^\s*SELECT/.test(text)) {
      database.exec(text)
      return { rows: [], count: 0 }
    }
    const statement = prepared.get(text) ?? database.prepare(translate(text))
    prepared.set(text, statement)
    const parameters = (values ?? []).map((value) =>
      typeof value === 'object' && value ? JSON.stringify(value) : value,
    )
    if (statement.columns().length > 0) return { rows: statement.all(...(parameters as string[])) as never[], count: 0 }
    return { rows: [], count: Number(statement.run(...(parameters as string[])).changes) }
  }

  /** Runs `work` in one transaction that takes the write lock at its start. */
  function inTransaction(work: () => SqliteResult): SqliteResult {
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
    answer(call: Exclude<SqliteCall, 'close'>): SqliteResult {
      if (call === 'truncate') {
        database.exec(`PRAGMA busy_timeout = ${truncateMs}`)
        const outcome = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
        database.exec(`PRAGMA busy_timeout = ${busyMs}`)
        return { rows: [], count: Number(outcome?.busy) }
      }
      if ('statement' in call) return run(call.statement)
      if ('insert' in call) {
        insert ??= prepareInsert(database)
        const store = insert
        const rows = () => call.insert.filter(store).map(({ id }) => ({ id }) as never)
        return inTransaction(() => ({ rows: rows(), count: 0 }))
      }
      return inTransaction(() => {
        let last: SqliteResult = { rows: [], count: 0 }
        for (const statement of call.change) last = run(statement)
        return last
      })
    },
    close: () => database.close(),
  }
}

/** Answers requests one at a time, on a thread of its own: fsync would block the event loop of the main thread. */
function serve({ port, ...file }: SqliteThreadData) {
  let database: ReturnType<typeof openDatabase> | undefined

  function answer(call: SqliteCall): SqliteReply {
    try {
      if (call === 'close') {
        database?.close()
        return { result: { rows: [], count: 0 } }
      }
      database ??= openDatabase(file)
      return { result: database.answer(call) }
    } catch (error) {
      if (reopening.has(primaryCode(error) ?? 0)) {
        database?.close()
        database = undefined
      }
      return { failure: toFailure(error) }
    }
  }

  port.on('message', (call: SqliteCall) => {
    port.postMessage(answer(call))
    if (call === 'close') port.close()
  })
}

serve(workerData)
