import { sha256 } from '../lead/fingerprint.ts'
import type { InboxStore, OptOut } from './stored-lead.ts'

/**
 * Where a consumer continues: after the entry with this position and this id. A database that was restored from an older
 * backup has none, even if it has reused the position since.
 */
export interface Cursor {
  position: number
  id: string
}

/** The cursor before the first entry. It exists in every database, even an empty one. */
export const beginning: Cursor = { position: 0, id: '00000000-0000-0000-0000-000000000000' }

/** Continues after this position, which need not be in the database: a feed may be empty. */
export async function cursorAt(store: Pick<InboxStore, 'idAt'>, position: number): Promise<Cursor> {
  return { position, id: (await store.idAt(position)) ?? beginning.id }
}

/** The contents of a page token: where to continue, and the feed's head before the first page was read. */
export interface PageToken {
  after: Cursor
  head: Cursor
}

const checkDigits = 10

/** The check digits tell a token from one that is truncated, mistyped or for another purpose. */
function encodeToken(purpose: string, ...parts: (string | number)[]): string {
  const text = parts.join(' ')
  return Buffer.from(text + sha256(`${purpose} ${text}`).slice(0, checkDigits)).toString('base64url')
}

/** The parts of a token. None: it was not issued for this purpose. */
function decodeToken(purpose: string, token: string): string[] {
  const text = Buffer.from(token, 'base64url').toString().slice(0, -checkDigits)
  // Node ignores characters that are not base64url. Accept only the exact text that was issued.
  return encodeToken(purpose, text) === token ? text.split(' ') : []
}

export const renderCursor = ({ position, id }: Cursor) => encodeToken('cursor', position, id)

/** Undefined when invalid. */
export function parseCursor(text: string): Cursor | undefined {
  const [position, id] = decodeToken('cursor', text)
  return id === undefined ? undefined : { position: Number(position), id }
}

/** Valid only with the same filters. */
export const renderPageToken = ({ after, head }: PageToken, filters: string) =>
  encodeToken(`page ${filters}`, after.position, after.id, head.position, head.id)

/** Undefined when it is invalid or was issued for other filters. */
export function parsePageToken(text: string, filters: string): PageToken | undefined {
  const [position, id, headPosition, headId] = decodeToken(`page ${filters}`, text)
  if (id === undefined || headId === undefined) return undefined
  return { after: { position: Number(position), id }, head: { position: Number(headPosition), id: headId } }
}

/** A place in the do-not-contact list. */
export type OptOutPlace = Pick<OptOut, 'recordedAt' | 'contact'>

export const renderOptOutToken = ({ recordedAt, contact }: OptOutPlace) => encodeToken('opt-outs', recordedAt, contact)

/** Undefined when invalid. */
export function parseOptOutToken(text: string): OptOutPlace | undefined {
  const [recordedAt, contact] = decodeToken('opt-outs', text)
  return recordedAt && contact ? { recordedAt, contact } : undefined
}
