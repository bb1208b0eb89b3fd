import { extname, resolve } from 'node:path'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { PublishedText } from '../../consent/wording.ts'
import { type Database, Listeners, StoreError } from '../database.ts'
import { recordPublishedText } from '../queries.ts'
import { createTables, explainNewer, isErasure, type Migration, runMigrations } from '../schema.ts'
import type { SqliteCalls, SqliteReply, SqliteThreadData } from './sqlite-worker.ts'

/** The worker's file has the extension of this module: `.ts` from source, `.js` in the bundle. */
const workerUrl = new URL(`./sqlite-worker${extname(import.meta.url)}`, import.meta.url)

/**
 * Uses a thread of its own, because fsync would block the event loop. Awaits `ready` before each call. A worker that
 * dies ends this process.
 */
function startThread(file: Omit<SqliteThreadData, 'port'>, ready: () => unknown, onReply = (_: SqliteReply) => {}) {
  // Under `--watch`, Node posts its own messages to a worker's own channel.
  const { port1, port2 } = new MessageChannel()
  const workerData: SqliteThreadData = { ...file, port: port2 }
  new Worker(workerUrl, { workerData, transferList: [port2] })
  const pending: PromiseWithResolvers<never>[] = []
  let isClosed = false
  port1.on('message', (reply: SqliteReply) => {
    onReply(reply)
    const call = pending.shift()
    if ('result' in reply) return call?.resolve(reply.result as never)
    const { code, transient, message } = reply.failure
    call?.reject(new StoreError(code, transient, message))
  })
  return async <Name extends keyof SqliteCalls>(
    name: Name,
    ...values: Parameters<SqliteCalls[Name]>
  ): Promise<ReturnType<SqliteCalls[Name]>> => {
    if (isClosed) throw new StoreError('closed', false, 'sqlite: closed')
    isClosed = name === 'close'
    await ready()
    const answer = Promise.withResolvers<never>()
    pending.push(answer)
    port1.postMessage([name, ...values])
    return await answer.promise
  }
}

const writeProbe = `
  INSERT INTO write_probe (id, written_at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at`

/** How long to wait before trying again to remove erased texts, in milliseconds. */
const retryMs = 5_000
/** How long the writer may find locks held (busy, protocol) before all connections are closed, in milliseconds. */
const stuckMs = 5_000

/** Rejects with a `StoreError`. Processes that share the file write one at a time, and find leads by polling. */
export async function openSqlite(path: string, publishedTexts: readonly PublishedText[]): Promise<Database> {
  let released: Promise<unknown> | undefined
  let workedMs = performance.now()
  function onReply(reply: SqliteReply) {
    const isLocked = 'failure' in reply && /_(5|15)$/.test(reply.failure.code)
    if (isLocked && performance.now() - workedMs < stuckMs) return
    workedMs = performance.now()
    // If unlocking failed, this process keeps the lock until it has closed all its connections.
    if (isLocked) released = Promise.allSettled([reader('release'), writer('release')])
  }
  const ready = () => released
  const file = resolve(path)
  const writer = startThread({ path: file, readOnly: false }, ready, onReply)
  // A separate thread, so that long reads never block writes.
  const reader = startThread({ path: file, readOnly: true }, ready)
  const stored = new Listeners()
  let retry: NodeJS.Timeout | undefined

  /** Removes erased texts from the file. Tries again while a program that reads it prevents that. */
  async function removeErased(attempt = 1): Promise<void> {
    clearTimeout(retry)
    const isDone = await writer('truncate').catch(({ code }: StoreError) => code === 'closed')
    if (isDone) return
    if (attempt === 2) process.emitWarning(`Erased text stays in ${path} until other programs close it. Trying again.`)
    retry = setTimeout(removeErased, retryMs, attempt + 1).unref()
  }

  const database: Database = {
    insert: async (leads) => {
      const ids = await writer('insert', leads)
      if (ids.length > 0) stored.call()
      return ids
    },
    readDurable: (statement) => writer('query', statement),
    read: (statement) => reader('query', statement),
    run: (statement) => writer('query', statement),
    change: async (statements) => {
      const rows = await writer('change', statements)
      stored.call()
      await removeErased()
      return rows
    },
    probe: () => writer('probe', { text: writeProbe, values: [new Date().toISOString()] }),
    onStored: stored.subscribe,
    // No other server can take over a file.
    onReconnected: () => () => {},
    close: async () => {
      await reader('close')
      await writer('close')
      clearTimeout(retry)
    },
  }
  const session = { exec: (text: string) => writer('exec', text), read: (text: string) => writer('query', { text }) }
  try {
    // If several processes start at once, one migrates and the others wait.
    await runMigrations(session, sqliteMigrations, 'BEGIN IMMEDIATE')
    for (const text of publishedTexts) await writer('query', recordPublishedText(text))
    await database.probe()
  } catch (error) {
    const cause = await explainNewer(error, session, sqliteMigrations)
    await database.close()
    throw cause
  }
  // An earlier process may have left erased texts in the WAL.
  void removeErased()
  return database
}

/** Creates triggers that reject updates and deletions of a table's rows. `except` is the one allowed update. */
function keepRows(table: string, except?: string): string {
  const refuse = `BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;`
  return `
      CREATE TRIGGER keep_${table} BEFORE UPDATE ON ${table} ${except ? `WHEN NOT coalesce(${except}, 0)` : ''} ${refuse}
      CREATE TRIGGER keep_${table}_from_delete BEFORE DELETE ON ${table} ${refuse}`
}

/** The migrations for SQLite. Times are text in the format of a receipt, which sorts by time; hashes are text too. */
export const sqliteMigrations: readonly Migration[] = [
  {
    name: 'leads',
    sql: `
      ${createTables({
        id: 'TEXT',
        time: 'TEXT',
        token: 'TEXT',
        // Changes take their positions from this table's sequence.
        position: 'INTEGER PRIMARY KEY AUTOINCREMENT',
        changes: 'position INTEGER PRIMARY KEY, id TEXT NOT NULL',
        end: ' STRICT',
        endOfLeads: ' STRICT',
      })}
      ${keepRows('leads', isErasure)}
      ${['changes', 'wordings', 'opt_outs'].map((table) => keepRows(table)).join('')}
    `,
  },
]
