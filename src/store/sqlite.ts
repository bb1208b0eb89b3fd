import { extname, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { LeadKind } from '../lead/submission.ts'
import type { Backend } from './backend.ts'
import type { Claim } from './claims.ts'
import { StoreError } from './error.ts'
import { encodeRows } from './row.ts'
import type { SqliteCall, SqliteCalls, SqliteClaimRow, SqliteReply, SqliteRequest } from './sqlite-messages.ts'

interface PendingCall {
  resolve(result: never): void
  reject(error: StoreError): void
}

/** The thread's file is of this module's kind: TypeScript as written, JavaScript in the bundle. */
const workerUrl = new URL(`./sqlite-worker${extname(import.meta.url)}`, import.meta.url)

/** Calls the database in its thread; a thread that has died is replaced at the next call. */
function createThread(path: string) {
  const pending = new Map<number, PendingCall>()
  let worker: Worker | undefined
  let lastId = 0

  function settle({ id, result, failure }: SqliteReply) {
    const call = pending.get(id)
    pending.delete(id)
    if (failure === undefined) call?.resolve(result as never)
    else call?.reject(new StoreError(failure.code, failure.transient, failure.message))
  }

  function start(): Worker {
    const started = new Worker(workerUrl, { workerData: path })
    started.on('message', settle)
    // Without a listener the error would end the process; `exit` follows it.
    started.on('error', () => {})
    started.on('exit', () => {
      worker = undefined
      for (const { reject } of pending.values()) reject(new StoreError('thread_lost', true, 'sqlite: thread_lost'))
      pending.clear()
    })
    return started
  }

  return <Call extends SqliteCall>(
    call: Call,
    ...args: SqliteCalls[Call]['args']
  ): Promise<SqliteCalls[Call]['result']> =>
    new Promise((resolve, reject) => {
      worker ??= start()
      const request: SqliteRequest = { id: ++lastId, call, args }
      pending.set(request.id, { resolve, reject })
      worker.postMessage(request)
    })
}

function toClaim(row: SqliteClaimRow): Claim {
  return {
    receipt: { id: row.lead_id, formType: row.form_type as LeadKind, receivedAt: row.received_at },
    fingerprint: row.fingerprint,
    contentUntil: row.content_until,
    keyHash: row.key_hash,
    keyUntil: row.key_until,
  }
}

/**
 * Opens a SQLite file, made with its folder when it is not there, and brings its schema up to date. Rejects with a
 * `StoreError`. Several processes may open the same file; one at a time writes.
 */
export async function openSqlite(path: string): Promise<Backend> {
  if (path === '' || path.startsWith(':')) throw new TypeError('sqlite: needs the path of a file, for leads must last')
  const call = createThread(resolve(path))
  // Any call opens the file first; this one shows that it can be written.
  const probe = async () => void (await call('probe', new Date().toISOString()))
  const close = async () => void (await call('close'))
  try {
    await probe()
  } catch (error) {
    await close()
    throw error
  }

  return {
    insert: async (leads) => new Set(await call('insert', encodeRows(leads))),
    find: async (leads) => {
      const ids = leads.map(({ id }) => id)
      const keys = leads.flatMap(({ keyHash }) => keyHash ?? [])
      const fingerprints = leads.map(({ fingerprint }) => fingerprint)
      const rows = await call('find', JSON.stringify(ids), JSON.stringify(keys), JSON.stringify(fingerprints))
      return rows.map(toClaim)
    },
    release: async (leads) => void (await call('release', encodeRows(leads))),
    probe,
    prune: (nowIso, limit) => call('prune', nowIso, limit),
    close,
  }
}
