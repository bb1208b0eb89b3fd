import { sha256 } from './fingerprint.ts'

/**
 * A place in the order of leads: after this lead. The two must belong together in the database that is asked, so a token
 * that was altered, or a position that was given to another lead since, is noticed there.
 */
export interface Place {
  position: number
  id: string
}

/** The first byte of a token: the version of its form and what it is for. One kind is not taken for the other. */
const marks = { cursor: 0x11, page: 0x12 }

/** Offsets: mark, position (64 bits, big-endian), the lead's UUID, and for a page the beginning of its filters' hash. */
const layout = { position: 1, id: 9, filters: 25, end: 33 }

const uuidParts = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/

function write(mark: number, { position, id }: Place, length: number): Buffer {
  const token = Buffer.allocUnsafe(length)
  token[0] = mark
  token.writeBigUInt64BE(BigInt(position), layout.position)
  token.write(id.replaceAll('-', ''), layout.id, 'hex')
  return token
}

function read(mark: number, text: string, length: number): Buffer | undefined {
  const token = Buffer.from(text, 'base64url')
  // Node skips what is not base64url; only the one text that was issued counts.
  return token.length === length && token[0] === mark && token.toString('base64url') === text ? token : undefined
}

function placeOf(token: Buffer): Place {
  return {
    position: Number(token.readBigUInt64BE(layout.position)),
    id: token.toString('hex', layout.id, layout.filters).replace(uuidParts, '$1-$2-$3-$4-$5'),
  }
}

function hashOf(filters: string): string {
  return sha256(filters).slice(0, 2 * (layout.end - layout.filters))
}

/** The cursor that goes on after a lead: 34 characters of base64url. */
export function renderCursor(place: Place): string {
  return write(marks.cursor, place, layout.filters).toString('base64url')
}

/** The place in a cursor; undefined for a text that is none. */
export function parseCursor(text: string): Place | undefined {
  const token = read(marks.cursor, text, layout.filters)
  return token && placeOf(token)
}

/** The token of the page after a lead, good for the same filters only: 44 characters of base64url. */
export function renderPageToken(place: Place, filters: string): string {
  const token = write(marks.page, place, layout.end)
  token.write(hashOf(filters), layout.filters, 'hex')
  return token.toString('base64url')
}

/** The place in a page token; undefined for a text that is none, or is one for other filters. */
export function parsePageToken(text: string, filters: string): Place | undefined {
  const token = read(marks.page, text, layout.end)
  return token?.toString('hex', layout.filters) === hashOf(filters) ? placeOf(token) : undefined
}
