import { sha256 } from './fingerprint.ts'

/**
 * A place in the feed: behind one entry. The position and the id must belong together in the database that is asked. So
 * a database that was restored from an older state is noticed there, even when it has given the position again since.
 */
export interface Place {
  position: number
  /** The id of the entry: of the lead, or of the change. */
  id: string
}

/** The place before the first entry. Every database knows it, an empty one too. */
export const beginning: Place = { position: 0, id: '00000000-0000-0000-0000-000000000000' }

/** What a page token says: where to go on, and the head of the feed before the first page was read. */
export interface PageToken {
  place: Place
  head: Place
}

/** The first byte of a token: its version and what it is for, so that one kind is not taken for the other. */
const marks = { cursor: 0x21, page: 0x22 }

/** Bytes: a position (64 bits, big-endian) and a UUID; the beginning of the filters' hash; that of the token's own. */
const size = { place: 24, filters: 8, check: 5 }

const uuidParts = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/

function writePlace({ position, id }: Place): Buffer {
  const bytes = Buffer.allocUnsafe(size.place)
  bytes.writeBigUInt64BE(BigInt(position))
  bytes.write(id.replaceAll('-', ''), 8, 'hex')
  return bytes
}

/** Undefined for a position that no database gives. */
function readPlace(bytes: Buffer): Place | undefined {
  const position = Number(bytes.readBigUInt64BE())
  if (!Number.isSafeInteger(position)) return undefined
  return { position, id: bytes.toString('hex', 8, size.place).replace(uuidParts, '$1-$2-$3-$4-$5') }
}

function hashOf(bytes: Buffer | string, length: number): Buffer {
  return Buffer.from(sha256(bytes), 'hex').subarray(0, length)
}

/** The check at the end tells a token that was cut or mistyped from one that this database does not know. */
function seal(mark: number, ...parts: Buffer[]): string {
  const bytes = Buffer.concat([Buffer.of(mark), ...parts])
  return Buffer.concat([bytes, hashOf(bytes, size.check)]).toString('base64url')
}

/** What is between the mark and the check; undefined for any text that `seal` has not given. */
function unseal(mark: number, text: string, length: number): Buffer | undefined {
  const token = Buffer.from(text, 'base64url')
  if (token.length !== 1 + length + size.check || token[0] !== mark) return undefined
  const bytes = token.subarray(0, 1 + length)
  // Node skips what is not base64url; only the one text that was issued counts.
  return seal(mark, bytes.subarray(1)) === text ? bytes.subarray(1) : undefined
}

/** The cursor that goes on behind a place: 40 characters of base64url. */
export function renderCursor(place: Place): string {
  return seal(marks.cursor, writePlace(place))
}

/** The place in a cursor; undefined for a text that is none. */
export function parseCursor(text: string): Place | undefined {
  const bytes = unseal(marks.cursor, text, size.place)
  return bytes && readPlace(bytes)
}

/** The token of the page behind a place, which is good for the same filters only. */
export function renderPageToken({ place, head }: PageToken, filters: string): string {
  return seal(marks.page, writePlace(place), writePlace(head), hashOf(filters, size.filters))
}

/** What a page token says; undefined for a text that is none, or was given for other filters. */
export function parsePageToken(text: string, filters: string): PageToken | undefined {
  const bytes = unseal(marks.page, text, 2 * size.place + size.filters)
  if (!bytes?.subarray(2 * size.place).equals(hashOf(filters, size.filters))) return undefined
  const [place, head] = [readPlace(bytes.subarray(0, size.place)), readPlace(bytes.subarray(size.place))]
  return place && head && { place, head }
}
