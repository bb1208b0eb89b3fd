import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { freePort } from './backend.ts'
import { type Contestant, titleOf } from './contestants.ts'

/** A running server with its own ports and database. */
export interface Server extends AsyncDisposable {
  pid: number
  publicUrl: string
  internalUrl: string
  databaseUrl: string
  /** Time from the start of the process to its first answer, in milliseconds. */
  startMs: number
}

export interface ServerOptions {
  contestant: Contestant
  /** The binary of a contestant in Go. */
  binary?: string
  databaseUrl: string
  redisUrl: string
  /** The document that the bare Koa server returns. */
  documentFile: string
  logFile: string
}

/** How long a server may take until its first answer, in milliseconds. */
const startDeadlineMs = 15_000

/** Starts a server as a separate process, and waits for its first answer. What runs on Node runs on this one. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { contestant, binary, databaseUrl } = options
  const [file, args] = binary ? [binary, []] : [process.execPath, [join(import.meta.dirname, contestant.entry)]]
  const [port, internalPort, opsPort] = [await freePort(), await freePort(), await freePort()]
  const log = openSync(options.logFile, 'a')
  const startedMs = performance.now()
  const child = spawn(file, args, {
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: String(port),
      INTERNAL_PORT: String(internalPort),
      OPS_PORT: String(opsPort),
      DATABASE_URL: databaseUrl,
      REDIS_URL: options.redisUrl,
      DOCUMENT_FILE: options.documentFile,
      ...contestant.env,
    },
    stdio: ['ignore', log, log],
  })
  const stop = async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  const publicUrl = `http://127.0.0.1:${port}`
  while (!(await answers(publicUrl))) {
    if (child.exitCode !== null || performance.now() - startedMs > startDeadlineMs) {
      await stop()
      throw new Error(`${titleOf(contestant)} did not start; see ${options.logFile}`)
    }
  }
  return {
    pid: child.pid as number,
    publicUrl,
    internalUrl: `http://127.0.0.1:${internalPort}`,
    databaseUrl,
    startMs: performance.now() - startedMs,
    [Symbol.asyncDispose]: stop,
  }
}

/** Whether the server answers. A refused connection costs two milliseconds, so polling does not slow down the start. */
function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (response) => {
      response.resume()
      resolve(true)
    }).on('error', () => setTimeout(resolve, 2, false))
  })
}
