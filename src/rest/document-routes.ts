import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Document } from '../site/documents.ts'
import { type Handler, type Route, readOnly, setFields } from './routes.ts'

/** Documents load nothing from elsewhere (CSP 3). An agent that reads one in a browser may send the lead from there. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'"

/** Each coding has a strong ETag (RFC 9110 §8.8.3). A document is rendered when it is first read in an edition. */
export function createDocumentRoutes(documents: readonly Document[], readEdition: () => string): Route[] {
  return documents.map((document) => readOnly(document.path, createHandler(document, readEdition)))
}

function createHandler(document: Document, readEdition: () => string): Handler {
  const encodings = new Map<boolean, ReturnType<typeof encode>>()
  let edition = ''
  return (ctx) => {
    const current = readEdition()
    if (current !== edition) encodings.clear()
    edition = current
    // A very long header is not parsed.
    const isZipped = ctx.get('Accept-Encoding').length <= 500 && ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
    const encoded = encodings.get(isZipped) ?? encode(document, isZipped)
    encodings.set(isZipped, encoded)
    const { fields, content } = encoded
    setFields(ctx, fields)
    ctx.body = content
    // Koa then sends neither content nor its type.
    if (matchesEtag(ctx.get('If-None-Match'), fields.ETag)) ctx.status = 304
    else if (isZipped) ctx.set('Content-Encoding', 'gzip')
  }
}

/** Compares weakly (RFC 9110 §13.1.2). Koa's `fresh` is false for browsers' `fetch`, which adds `no-cache`. */
function matchesEtag(field: string, etag: string): boolean {
  return field.trim() === '*' || (field.match(/"[^"]*"/g) ?? ([] as string[])).includes(etag)
}

/** A document in one coding. */
function encode(document: Document, isZipped: boolean) {
  const { contentType, readableAnywhere, headers } = document
  const text = document.render()
  const content = isZipped ? gzipSync(text) : Buffer.from(text)
  const fields = {
    'Cache-Control': 'public, max-age=3600',
    Vary: 'Accept-Encoding',
    'Cross-Origin-Resource-Policy': readableAnywhere ? 'cross-origin' : 'same-origin',
    ...(readableAnywhere && { 'Access-Control-Allow-Origin': '*' }),
    ...headers,
    ETag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`,
    'Content-Security-Policy': contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
    'Content-Type': contentType,
  }
  return { fields, content }
}
