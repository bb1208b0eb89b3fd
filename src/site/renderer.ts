import { type ChildProcess, fork } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { dirname, extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DiscoveryContext } from './context.ts'
import type { Coding } from './encode.ts'

/** A representation of a document: 0 is the document itself, 1 its first alternative. */
export interface FormPlace {
  path: string
  form: number
}

/** Renders a representation in a coding. */
export type Renderer = (place: FormPlace, coding: Coding) => Promise<Buffer>

/** The first message to the process: the settings, and the time to render the documents for. */
export interface RenderSettings {
  settings: Omit<DiscoveryContext, 'now'>
  nowMs: number
}

export interface RenderRequest extends FormPlace {
  id: number
  coding: Coding
}

/** The bytes of a representation, or the error. */
export type RenderReply = { id: number; content: Uint8Array } | { id: number; fault: Error }

interface Waiting {
  resolve(content: Buffer): void
  reject(error: unknown): void
}

/** The file has the extension of this module: `.ts` from source, `.js` in the bundle. */
const program = fileURLToPath(new URL(`./render-process${extname(import.meta.url)}`, import.meta.url))

/**
 * Renders in a separate process, which starts at the first request and exits after `idleMs` without one. Rendering a
 * page for the first time takes tens of milliseconds, in which this process could accept no leads, and memory that is
 * only released when a process exits. It stays for `idleMs` because people often read several pages.
 */
export function createRenderer({ now, ...settings }: DiscoveryContext, idleMs = 5_000): Renderer {
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let running: ChildProcess | undefined
  let end: NodeJS.Timeout | undefined

  function start(): ChildProcess {
    const started = fork(program, {
      env: environment(),
      execArgv: ['--max-semi-space-size=1'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    started.unref()
    started.on('message', (reply: RenderReply) => {
      const asked = waiting.get(reply.id)
      waiting.delete(reply.id)
      if ('fault' in reply) asked?.reject(reply.fault)
      else asked?.resolve(Buffer.from(reply.content))
      if (waiting.size > 0) return
      started.channel?.unref()
      end = setTimeout(() => stop(started), idleMs).unref()
    })
    const fail = (cause?: Error) => {
      if (running !== started) return
      running = undefined
      for (const { reject } of waiting.values())
        reject(new Error('the process that renders documents ended', { cause }))
      waiting.clear()
    }
    started.on('error', fail)
    started.on('exit', () => fail())
    started.send({ settings, nowMs: now() } satisfies RenderSettings)
    return started
  }

  function stop(started: ChildProcess) {
    if (running === started) running = undefined
    // It exits when its channel closes.
    if (started.connected) started.disconnect()
  }

  return (place, coding) =>
    new Promise((resolve, reject) => {
      clearTimeout(end)
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      running ??= start()
      running.channel?.ref()
      running.send({ ...place, id, coding } satisfies RenderRequest)
    })
}

/** The process gets none of the service's settings and secrets, only the folder of Node's compile cache. */
function environment(): NodeJS.ProcessEnv {
  const versionFolder = getCompileCacheDir()
  return versionFolder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(versionFolder) }
}
