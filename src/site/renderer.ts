import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { DiscoveryContext } from './context.ts'
import type { Coding } from './encode.ts'

/** A form of a document: 0 is the document itself, 1 its first alternative. */
export interface FormPlace {
  path: string
  form: number
}

/** Renders a form of a document, in a coding. */
export type Renderer = (place: FormPlace, coding: Coding) => Promise<Buffer>

/** What the thread is given: the settings, and the time that documents are made for. */
export interface RenderThreadData {
  settings: Omit<DiscoveryContext, 'now'>
  nowMs: number
}

export interface RenderRequest extends FormPlace {
  id: number
  coding: Coding
}

export interface RenderReply {
  id: number
  content: Uint8Array
}

interface Waiting {
  resolve(content: Buffer): void
  reject(error: unknown): void
}

/** The thread's file is of this module's kind: TypeScript as written, JavaScript in the bundle. */
const workerUrl = new URL(`./render-worker${extname(import.meta.url)}`, import.meta.url)

/**
 * Renders in a thread that begins with the first request and ends once nothing has been asked for: a page takes tens of
 * milliseconds the first time, in which no lead would be taken, and memory for the library and all that it makes. `idleMs`: whoever
 * reads one page often reads another at once.
 */
export function createRenderer({ now, ...settings }: DiscoveryContext, idleMs = 5_000): Renderer {
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let thread: Worker | undefined
  let end: NodeJS.Timeout | undefined

  function start(): Worker {
    const started = new Worker(workerUrl, {
      workerData: { settings, nowMs: now() } satisfies RenderThreadData,
      // What is rendered in a moment need not be kept from the garbage collector for long.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    })
    // It holds nothing that an end of the process could lose.
    started.unref()
    started.on('message', ({ id, content }: RenderReply) => {
      waiting.get(id)?.resolve(Buffer.from(content.buffer, content.byteOffset, content.byteLength))
      waiting.delete(id)
      if (waiting.size === 0) end = setTimeout(() => stop(started), idleMs).unref()
    })
    started.on('error', (error) => {
      stop(started)
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    })
    return started
  }

  function stop(started: Worker) {
    if (thread === started) thread = undefined
    void started.terminate()
  }

  return (place, coding) =>
    new Promise((resolve, reject) => {
      clearTimeout(end)
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      thread ??= start()
      thread.postMessage({ ...place, id, coding } satisfies RenderRequest)
    })
}
