import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { StoreError } from '../error.ts'
import type { Calls, SqliteReply, SqliteRequest, SqliteThreadData } from './messages.ts'

interface PendingCall {
  resolve(result: never): void
  reject(error: StoreError): void
}

/** The worker's file has the extension of this module: `.ts` from source, `.js` in the bundle. */
const workerUrl = new URL(`./sqlite-worker${extname(import.meta.url)}`, import.meta.url)

/** A database on a worker thread, called by method name. Every rejection is a `StoreError`. */
export interface SqliteThread<Answers extends Calls> {
  call<Name extends keyof Answers & string>(
    name: Name,
    ...args: Parameters<Answers[Name]>
  ): Promise<ReturnType<Answers[Name]>>
  close(): Promise<void>
}

/** Starts the worker at the first call. A worker that died is replaced at the next call. */
export function createThread<Answers extends Calls>(data: SqliteThreadData): SqliteThread<Answers> {
  const pending = new Map<number, PendingCall>()
  let worker: Worker | undefined
  let lastId = 0

  function settle({ id, result, failure }: SqliteReply) {
    const waiting = pending.get(id)
    pending.delete(id)
    if (failure === undefined) waiting?.resolve(result as never)
    else waiting?.reject(new StoreError(failure.code, failure.transient, failure.message))
  }

  function start(): Worker {
    const started = new Worker(workerUrl, { workerData: data })
    started.on('message', settle)
    // Without a listener, `error` would end this process. `exit` follows it and rejects the pending calls.
    started.on('error', () => {})
    started.on('exit', () => {
      worker = undefined
      for (const { reject } of pending.values()) reject(new StoreError('thread_lost', true, 'sqlite: thread_lost'))
      pending.clear()
    })
    return started
  }

  function send<Result>(target: Worker, call: string, args: unknown[]): Promise<Result> {
    return new Promise((resolve, reject) => {
      const request: SqliteRequest = { id: ++lastId, call, args }
      pending.set(request.id, { resolve, reject })
      target.postMessage(request)
    })
  }

  return {
    call: (name, ...args) => {
      worker ??= start()
      return send(worker, name, args)
    },
    close: async () => {
      if (worker !== undefined) await send(worker, 'close', [])
    },
  }
}
