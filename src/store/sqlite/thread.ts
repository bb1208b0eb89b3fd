import { extname } from 'node:path'
import { MessageChannel, Worker } from 'node:worker_threads'
import { StoreError } from '../error.ts'
import type { SqliteCalls, SqliteReply, SqliteThreadData } from './sqlite-worker.ts'

/** The worker's file has the extension of this module: `.ts` from source, `.js` in the bundle. */
const workerUrl = new URL(`./sqlite-worker${extname(import.meta.url)}`, import.meta.url)

/**
 * A database on a thread of its own, because fsync would block the event loop. It answers one call after the other;
 * every rejection is a `StoreError`. A worker that dies ends this process.
 */
export function startThread(path: string, { readOnly }: { readOnly: boolean }) {
  // A channel of our own: under `--watch`, Node posts its own messages to the one that each worker has.
  const { port1, port2 } = new MessageChannel()
  const workerData: SqliteThreadData = { path, readOnly, port: port2 }
  new Worker(workerUrl, { workerData, transferList: [port2] })
  /** The calls without an answer, in order. */
  const pending: PromiseWithResolvers<never>[] = []
  let isClosed = false
  port1.on('message', (reply: SqliteReply) => {
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
    const answer = Promise.withResolvers<never>()
    pending.push(answer)
    port1.postMessage([name, ...values])
    return await answer.promise
  }
}
