// The process that renders documents. First it receives the settings, then it answers each request with the bytes of a
// representation in a coding. It exits when its channel closes: the service is idle, or gone.
import type { Document, Representation } from './document.ts'
import { createDocuments } from './documents.ts'
import { encode } from './encode.ts'
import type { RenderReply, RenderRequest, RenderSettings } from './renderer.ts'

let documents = new Map<string, Document>()
/** Caches rendered texts, for other codings of the same representation. */
const texts = new Map<Representation['render'], string | Promise<string>>()

async function render({ path, form, coding }: RenderRequest): Promise<Buffer> {
  const document = documents.get(path)
  const representation = document && [document, ...(document.alternatives ?? [])][form]
  if (!representation) throw new TypeError(`no form ${form} of ${path}`)
  const text = texts.get(representation.render) ?? representation.render()
  texts.set(representation.render, text)
  return encode(await text, coding)
}

async function answer(request: RenderRequest): Promise<RenderReply> {
  try {
    return { id: request.id, content: await render(request) }
  } catch (fault) {
    return { id: request.id, fault: fault as Error }
  }
}

process.on('message', async (message: RenderSettings | RenderRequest) => {
  if ('settings' in message) {
    const { settings, nowMs } = message
    documents = new Map(createDocuments({ ...settings, now: () => nowMs }).map((document) => [document.path, document]))
  } else {
    process.send?.(await answer(message))
  }
})
