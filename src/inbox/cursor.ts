import { sha256 } from '../lead/fingerprint.ts'

/**
 * Where a consumer continues: after the entry at this position. The database must have an entry with this position and
 * this id. A database that was restored from an older backup has none, even if it has reused the position since.
 */
export interface Cursor {
  position: number
  /** The id of the lead or change at this position. */
  id: string
}

/** The cursor before the first entry. It exists in every database, even an empty one. */
export const beginning: Cursor = { position: 0, id: '00000000-0000-0000-0000-000000000000' }

/** The contents of a page token: where to continue, and the feed's head before the first page was read. */
export interface PageToken {
  after: Cursor
  head: Cursor
}

/** The first byte of a token: its version and purpose, so that cursors and page tokens cannot be confused. */
const marks = { cursor: 0x21, page: 0x22 }

/**
 * Sizes in bytes: a cursor is a position (64 bits, big-endian) and a UUID; `filters` and `check` are truncated hashes.
 */
const size = { cursor: 24, filters: 8, check: 5 }

const uuidParts = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/

function encodeCursor({ position, id }: Cursor): Buffer {
  const bytes = Buffer.allocUnsafe(size.cursor)
  bytes.writeBigUInt64BE(BigInt(position))
  bytes.write(id.replaceAll('-', ''), 8, 'hex')
  return bytes
}

function decodeCursor(bytes: Buffer): Cursor {
  return {
    position: Number(bytes.readBigUInt64BE()),
    id: bytes.toString('hex', 8, size.cursor).replace(uuidParts, '$1-$2-$3-$4-$5'),
  }
}

function hashOf(bytes: Buffer | string, length: number): Buffer {
  return Buffer.from(sha256(bytes), 'hex').subarray(0, length)
}

/** Appends a check value, which tells a truncated or mistyped token from one that another database has issued. */
function encodeToken(mark: number, ...parts: Buffer[]): string {
  const bytes = Buffer.concat([Buffer.of(mark), ...parts])
  return Buffer.concat([bytes, hashOf(bytes, size.check)]).toString('base64url')
}

/** The payload of a token. Undefined for a text that `encodeToken` did not create. */
function decodeToken(mark: number, text: string, length: number): Buffer | undefined {
  const token = Buffer.from(text, 'base64url')
  if (token.length !== 1 + length + size.check || token[0] !== mark) return undefined
  const bytes = token.subarray(0, 1 + length)
  // Node ignores characters that are not base64url. Accept only the exact text that was issued.
  return encodeToken(mark, bytes.subarray(1)) === text ? bytes.subarray(1) : undefined
}

/** 40 base64url characters. */
export function renderCursor(cursor: Cursor): string {
  return encodeToken(marks.cursor, encodeCursor(cursor))
}

/** Parses a cursor. Undefined when invalid. */
export function parseCursor(text: string): Cursor | undefined {
  const bytes = decodeToken(marks.cursor, text, size.cursor)
  return bytes && decodeCursor(bytes)
}

/** The token for the next page. Valid only with the same filters. */
export function renderPageToken({ after, head }: PageToken, filters: string): string {
  return encodeToken(marks.page, encodeCursor(after), encodeCursor(head), hashOf(filters, size.filters))
}

/** Parses a page token. Undefined when it is invalid or was issued for other filters. */
export function parsePageToken(text: string, filters: string): PageToken | undefined {
  const bytes = decodeToken(marks.page, text, 2 * size.cursor + size.filters)
  if (!bytes?.subarray(2 * size.cursor).equals(hashOf(filters, size.filters))) return undefined
  return { after: decodeCursor(bytes), head: decodeCursor(bytes.subarray(size.cursor)) }
}
