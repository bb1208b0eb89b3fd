// The thread that renders documents: answers each request with a form's bytes in a coding. What fails ends the thread, and
// is told to whoever waits.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Representation } from './document.ts'
import { createDocuments } from './documents.ts'
import { encode } from './encode.ts'
import type { RenderReply, RenderRequest, RenderThreadData } from './renderer.ts'

const { settings, nowMs } = workerData as RenderThreadData
const port = parentPort as MessagePort
const documents = new Map(
  createDocuments({ ...settings, now: () => nowMs }).map((document) => [document.path, document]),
)
/** For the other codings of the same form. */
const texts = new Map<Representation['render'], string | Promise<string>>()

port.on('message', async ({ id, path, form, coding }: RenderRequest) => {
  const document = documents.get(path)
  const { render } = [document, ...(document?.alternatives ?? [])][form] as Representation
  const text = texts.get(render) ?? render()
  texts.set(render, text)
  port.postMessage({ id, content: encode(await text, coding) } satisfies RenderReply)
})
