import { createHash } from 'node:crypto'
import { headerFields } from '../header-fields.ts'
import type { Document, Representation } from '../site/document.ts'
import { encode } from '../site/encode.ts'
import type { FormPlace, Renderer } from '../site/renderer.ts'
import type { Answer } from './answer.ts'
import { readHeader, tooLong } from './header-bounds.ts'
import { type Coding, chooseCoding, chooseMediaType, namesEtag } from './negotiate.ts'
import type { Handler } from './routes.ts'

/** Documents may only be read: no scripts, nothing loaded from elsewhere (CSP 3). */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A representation of a document in one coding: its answers, without the fields that all answers share. */
interface Encoded {
  /** A strong validator, different for each coding (RFC 9110 §8.8.3.3). */
  etag: string
  whole: Answer
  /** For a caller whose copy is current. */
  notModified: Answer
}

/**
 * Creates the GET and HEAD handlers of the documents by path: negotiated, compressed, with a strong ETag for each
 * representation and 304 when the caller's copy is current (RFC 9110 §8.8.3, §12.5, §13.1.2). Each representation is
 * rendered at its first request, because most are never read.
 */
export function createDocumentHandlers(documents: readonly Document[], renderer: Renderer): Map<string, Handler> {
  // A representation that has two paths is rendered once.
  const made = new Map<Representation['render'], GetBody>()
  const bodyOf = ({ render }: Representation, place: FormPlace, isBrief = false): GetBody => {
    const renderHere = async (coding: Coding) => encode(await render(), coding)
    const body = made.get(render) ?? createBody(isBrief ? renderHere : (coding) => renderer(place, coding))
    made.set(render, body)
    return body
  }
  return new Map(
    documents.map((document) => {
      const forms = [document, ...(document.alternatives ?? [])]
      const answers = forms.map((form, index) =>
        createAnswers(document, form, bodyOf(form, { path: document.path, form: index }, document.isBrief)),
      )
      return [document.path, createHandler(document, answers)]
    }),
  )
}

/** Returns a representation in a coding. */
type GetEncoded = (coding: Coding) => Promise<Encoded>

function createHandler(document: Document, forms: readonly GetEncoded[]): Handler {
  const { alternatives = [], redirectTo } = document
  const mediaTypes = [essence(document.contentType), ...alternatives.map(({ mediaType }) => mediaType)]

  return async ({ req }) => {
    // Overlong or non-matching fields get the default representation (RFC 9110 §12.5.1).
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

/** Content in one coding, and the input of its ETag. */
interface Body {
  content: Buffer
  digest: string
}
type GetBody = (coding: Coding) => Promise<Body>

/** Renders a representation once per coding. A failed attempt is repeated at the next request. */
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

/** Builds the answers for one representation. */
function createAnswers(document: Document, { contentType }: Representation, body: GetBody): GetEncoded {
  const { alternatives = [], redirectTo } = document
  // The fields that a cache needs to keep using its copy (RFC 9110 §15.4.5), and that other origins need to read it.
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
