import type { HeaderFields } from './header-fields.ts'

/** An answer, without the fields that depend on its path and connection. */
export interface Answer {
  status: number
  fields: HeaderFields
  /** Undefined: no content at all, not even an empty one (RFC 9110 §15.3.5, §15.4.5). */
  body?: string | Buffer
}

/** The media type of all the API's own answers. */
export const jsonContentType: HeaderFields = ['Content-Type', 'application/json; charset=utf-8']

/** The length of the content, if the answer may have any. */
export function contentLength({ body }: Answer): HeaderFields {
  return body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(body))]
}
