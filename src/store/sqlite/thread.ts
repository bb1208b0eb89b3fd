import { extname } from 'node:path'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { NewLead } from '../../lead/submission.ts'
import type { Statement } from '../database.ts'
import { StoreError } from '../error.ts'

/** A request to a thread. */
export type SqliteCall =
  /** Runs one statement. Without parameters, it may be several. */
  | { statement: Statement }
  /** Runs statements in one transaction. The rows are those of the last one. */
  | { change: readonly Statement[] }
  /** Inserts leads in one transaction. There is a row for each lead that was inserted. */
  | { insert: readonly NewLead[] }
  /** Empties the WAL, which holds erased texts. The count is 1 if a program that reads the file prevents it. */
  | 'truncate'
  | 'close'

/** The result of a call. */
export interface SqliteResult {
  rows: never[]
  /** How many rows the last statement wrote. */
  count: number
}

/** The answer to a call. `failure` has the fields of a `StoreError`, as messages between threads keep no class. */
export type SqliteReply = { result: SqliteResult } | { failure: { code: string; transient: boolean; message: string } }

/** Which file a thread opens, and where it gets its calls. */
export interface SqliteThreadData {
  path: string
  readOnly: boolean
  port: MessagePort
}

/** A database on a worker thread. Every rejection is a `StoreError`. */
export type SqliteThread = (call: SqliteCall) => Promise<SqliteResult>

/** The worker's file has the extension of this module: `.ts` from source, `.js` in the bundle. */
const workerUrl = new URL(`./sqlite-worker${extname(import.meta.url)}`, import.meta.url)

/** Starts a worker, which answers one call after the other. */
function startWorker(file: Omit<SqliteThreadData, 'port'>, onExit: () => void): SqliteThread {
  // A channel of our own: under `--watch`, Node posts its own messages to the one that each worker has.
  const { port1, port2 } = new MessageChannel()
  const workerData: SqliteThreadData = { ...file, port: port2 }
  const worker = new Worker(workerUrl, { workerData, transferList: [port2] })
  /** The calls of this worker without an answer, in order. */
  const pending: PromiseWithResolvers<SqliteResult>[] = []
  port1.on('message', (reply: SqliteReply) => {
    const call = pending.shift()
    if ('result' in reply) return call?.resolve(reply.result)
    const { code, transient, message } = reply.failure
    call?.reject(new StoreError(code, transient, message))
  })
  // Without a listener, `error` would end this process. `close` follows it and rejects the pending calls.
  worker.on('error', () => {})
  port1.on('close', () => {
    onExit()
    for (const { reject } of pending.splice(0)) reject(new StoreError('thread_lost', true, 'sqlite: thread_lost'))
  })
  return (call) => {
    const answer = Promise.withResolvers<SqliteResult>()
    port1.postMessage(call)
    pending.push(answer)
    return answer.promise
  }
}

/** Starts the worker at the first call. A worker that died is replaced at the next call, until the thread is closed. */
export function createThread(file: Omit<SqliteThreadData, 'port'>): SqliteThread {
  let worker: SqliteThread | undefined
  let isClosed = false
  return async (call) => {
    // A call that comes late, from work in the background, must not start another worker.
    if (isClosed) throw new StoreError('closed', false, 'sqlite: closed')
    isClosed = call === 'close'
    if (isClosed && worker === undefined) return { rows: [], count: 0 }
    worker ??= startWorker(file, () => {
      worker = undefined
    })
    return await worker(call)
  }
}
