import type { IncomingMessage } from 'node:http'

/**
 * How many characters of each header a parser of ours is given (docs/specification.md §11). The one place that says so:
 * a longer one is never parsed. A header that is not named here is only compared or looked up, never parsed.
 */
export const headerMaxLengths = {
  host: 300,
  'content-type': 200,
  'content-encoding': 100,
  accept: 1_000,
  'accept-encoding': 500,
  'if-none-match': 1_000,
  // 255 characters, each of which may be escaped, and the quotes.
  'idempotency-key': 512,
} as const

export type BoundedHeader = keyof typeof headerMaxLengths

/** A header that was sent, and is longer than what is parsed. */
export const tooLong = Symbol('too long')

/** A header's text for its parser; undefined when it was not sent. */
export function readHeader(request: IncomingMessage, name: BoundedHeader): string | undefined | typeof tooLong {
  // Node has joined the lines of a list; of the others the first one stays. Its types allow a list, as for any field.
  const text = request.headers[name] as string | undefined
  return text !== undefined && text.length > headerMaxLengths[name] ? tooLong : text
}
