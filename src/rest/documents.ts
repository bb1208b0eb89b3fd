import { createHash } from 'node:crypto'
import { headerFields } from '../header-fields.ts'
import type { Document, Representation } from '../site/document.ts'
import type { FormPlace, Renderer } from '../site/renderer.ts'
import type { Answer } from './answer.ts'
import { readHeader, tooLong } from './header-bounds.ts'
import { type Coding, chooseCoding, chooseMediaType, namesEtag } from './negotiate.ts'
import type { Handler } from './routes.ts'

/** What a document may do: be read. No script, nothing from elsewhere (CSP 3; standards §10.8). */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A form of a document in one coding: its answers, but for what is the same on every answer. */
interface Encoded {
  /** Strong, and another one for each coding (RFC 9110 §8.8.3.3). */
  etag: string
  whole: Answer
  /** For a caller that has it already. */
  notModified: Answer
}

/**
 * Makes the handlers of the documents, by path, for GET and HEAD: negotiated, compressed, with a strong ETag for each form
 * and 304 where the caller has that form already (RFC 9110 §8.8.3, §12.5, §13.1.2). Each form is made once, for its first
 * reader: most are never read.
 */
export function createDocumentHandlers(documents: readonly Document[], renderer: Renderer): Map<string, Handler> {
  // A form that stands at two paths is made once.
  const made = new Map<Representation['render'], GetBody>()
  const bodyOf = ({ render }: Representation, place: FormPlace): GetBody => {
    const body = made.get(render) ?? createBody((coding) => renderer(place, coding))
    made.set(render, body)
    return body
  }
  return new Map(
    documents.map((document) => {
      const forms = [document, ...(document.alternatives ?? [])]
      const answers = forms.map((form, index) =>
        createAnswers(document, form, bodyOf(form, { path: document.path, form: index })),
      )
      return [document.path, createHandler(document, answers)]
    }),
  )
}

/** Gives a form of a document in a coding. */
type GetEncoded = (coding: Coding) => Promise<Encoded>

function createHandler(document: Document, forms: readonly GetEncoded[]): Handler {
  const { alternatives = [], redirectTo } = document
  const mediaTypes = [essence(document.contentType), ...alternatives.map(({ mediaType }) => mediaType)]

  return async ({ req }) => {
    // Fields that are not parsed, or that nothing here matches, get the default (RFC 9110 §12.5.1).
    const accept = mediaTypes.length > 1 ? ifShort(readHeader(req, 'accept')) : undefined
    const chosen = accept === undefined ? undefined : chooseMediaType(accept, mediaTypes)
    const encoded = forms[chosen === undefined ? 0 : mediaTypes.indexOf(chosen)] as GetEncoded
    const { etag, whole, notModified } = await encoded(chooseCoding(ifShort(readHeader(req, 'accept-encoding'))))
    const known = ifShort(readHeader(req, 'if-none-match'))
    return !redirectTo && known !== undefined && namesEtag(known, etag) ? notModified : whole
  }
}

function ifShort(field: ReturnType<typeof readHeader>): string | undefined {
  return field === tooLong ? undefined : field
}

function essence(contentType: string): string {
  return contentType.split(';', 1)[0] ?? ''
}

/** Content in one coding, and what its ETag is made of. */
interface Body {
  content: Buffer
  digest: string
}
type GetBody = (coding: Coding) => Promise<Body>

/** Makes a form once for each coding; what has failed is tried again. */
function createBody(render: (coding: Coding) => Promise<Buffer>): GetBody {
  const made = new Map<Coding, Promise<Body>>()
  async function make(coding: Coding): Promise<Body> {
    try {
      const content = await render(coding)
      const digest = createHash('sha256').update(content).digest('base64url').slice(0, 27)
      return { content, digest: coding === 'identity' ? digest : `${digest}-${coding}` }
    } catch (error) {
      made.delete(coding)
      throw error
    }
  }
  return (coding) => {
    const known = made.get(coding) ?? make(coding)
    made.set(coding, known)
    return known
  }
}

/** The answers that carry a form of a document. */
function createAnswers(document: Document, { contentType }: Representation, body: GetBody): GetEncoded {
  const { alternatives = [], redirectTo } = document
  // What a cache needs to go on with what it has (RFC 9110 §15.4.5), and a page of another origin to read it.
  const validFields = headerFields({
    'Cache-Control': 'public, max-age=3600',
    Vary: alternatives.length > 0 ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
    'Cross-Origin-Resource-Policy': document.readableAnywhere ? 'cross-origin' : 'same-origin',
    ...(document.readableAnywhere && { 'Access-Control-Allow-Origin': '*' }),
    ...document.headers,
  })
  const wholeFields = headerFields({
    'Content-Security-Policy': contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
    ...(redirectTo && { Location: redirectTo }),
    'Content-Type': contentType,
  })
  return async (coding) => {
    const { content, digest } = await body(coding)
    const etag = `"${digest}"`
    const tagged = [...validFields, 'ETag', etag]
    const contentEncoding = coding === 'identity' ? [] : ['Content-Encoding', coding]
    return {
      etag,
      whole: { status: redirectTo ? 302 : 200, fields: [...tagged, ...wholeFields, ...contentEncoding], body: content },
      notModified: { status: 304, fields: tagged },
    }
  }
}
