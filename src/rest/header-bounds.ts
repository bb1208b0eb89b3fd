import type { IncomingMessage } from 'node:http'

/**
 * The maximum length of each header that our code parses (docs/specification.md §11). A longer header is never parsed.
 * Other headers are only compared or looked up. Keep all such limits in this table.
 */
export const headerMaxLengths = {
  host: 300,
  'content-type': 200,
  'content-encoding': 100,
  'accept-encoding': 500,
  'if-none-match': 1_000,
  // 255 characters, each possibly escaped, plus the quotes.
  'idempotency-key': 512,
  'consent-version': 100,
} as const

export type BoundedHeader = keyof typeof headerMaxLengths

/** Marks a header that is longer than its limit. */
export const tooLong = Symbol('too long')

/** The text of a header, for its parser. Undefined: not sent. */
export function readHeader(request: IncomingMessage, name: BoundedHeader): string | undefined | typeof tooLong {
  // Node joins the lines of list headers and keeps the first line of others. Its types allow a list for any header.
  const text = request.headers[name] as string | undefined
  return text !== undefined && text.length > headerMaxLengths[name] ? tooLong : text
}

/** How much of a caller's text is logged. */
const loggedMaxLength = 100

/** The beginning of a caller's text, without characters that could deceive the reader of a log. */
export function loggable(text: string): string {
  return text.slice(0, loggedMaxLength).replace(/[^\x20-\x7e]/g, '')
}
