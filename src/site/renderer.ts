import { type ChildProcess, fork } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DiscoveryContext } from './context.ts'
import type { Coding } from './encode.ts'

/** A form of a document: 0 is the document itself, 1 its first alternative. */
export interface FormPlace {
  path: string
  form: number
}

/** Renders a form of a document, in a coding. */
export type Renderer = (place: FormPlace, coding: Coding) => Promise<Buffer>

/** What the process is told first: the settings, and the time that documents are made for. */
export interface RenderSettings {
  settings: Omit<DiscoveryContext, 'now'>
  nowMs: number
}

export interface RenderRequest extends FormPlace {
  id: number
  coding: Coding
}

/** A form's bytes, or why there are none. */
export type RenderReply = { id: number; content: Uint8Array } | { id: number; fault: Error }

interface Waiting {
  resolve(content: Buffer): void
  reject(error: unknown): void
}

/** The process's file is of this module's kind: TypeScript as written, JavaScript in the bundle. */
const program = fileURLToPath(new URL(`./render-process${extname(import.meta.url)}`, import.meta.url))

/**
 * Renders in a process that begins with the first request and ends once nothing has been asked for. A page takes tens of
 * milliseconds the first time, in which no lead would be taken, and memory that only the end of a process gives back.
 * `idleMs`: whoever reads one page often reads another at once.
 */
export function createRenderer({ now, ...settings }: DiscoveryContext, idleMs = 5_000): Renderer {
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let running: ChildProcess | undefined
  let end: NodeJS.Timeout | undefined

  function start(): ChildProcess {
    const started = fork(program, {
      // Nothing of the service's settings or secrets is in its environment.
      env: {},
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
    // It ends with its channel.
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
