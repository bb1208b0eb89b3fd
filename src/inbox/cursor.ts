import { sha256 } from '../lead/fingerprint.ts'
import { inboxFaults } from '../words/inbox.ts'
import { invalid } from './parse-fields.ts'
import type { OptOut } from './stored-lead.ts'

type OptOutPlace = Pick<OptOut, 'recordedAt' | 'contact'>

/**
 * Where a consumer continues: after the entry with this position and this id. A database that was restored from an older
 * backup has none, even if it has reused the position since.
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

const render = ({ position, id }: Cursor) => `${position} ${id}`
const parse = (position: string, id: string): Cursor => ({ position: Number(position), id })

const one = '(\\d{1,16}) ([0-9a-f-]{36})'
const cursorForm = new RegExp(`^${one}$`)
const pageForm = new RegExp(`^${one} ${one} ([0-9a-f]{16})$`)

/** How many digits of a hash are enough to find mistakes. */
const hashOf = (text: string, digits: number) => sha256(text).slice(0, digits)
const checkDigits = 10

/** The check digits tell a truncated or mistyped token from one that another database has issued. */
function encodeToken(text: string): string {
  return Buffer.from(text + hashOf(text, checkDigits)).toString('base64url')
}

/** The parts of a token. Undefined for a text that `encodeToken` did not create, or that has another form. */
function decodeToken(token: string, form: RegExp): string[] | undefined {
  const text = Buffer.from(token, 'base64url').toString('latin1').slice(0, -checkDigits)
  // Node ignores characters that are not base64url. Accept only the exact text that was issued.
  return encodeToken(text) === token ? form.exec(text)?.slice(1) : undefined
}

export function renderCursor(cursor: Cursor): string {
  return encodeToken(render(cursor))
}

/** Parses a cursor. Undefined when invalid. */
export function parseCursor(text: string): Cursor | undefined {
  const [position, id] = decodeToken(text, cursorForm) ?? []
  return position && id ? parse(position, id) : undefined
}

/** The token for the next page. Valid only with the same filters. */
export function renderPageToken({ after, head }: PageToken, filters: string): string {
  return encodeToken([render(after), render(head), hashOf(filters, 16)].join(' '))
}

/** Parses a page token. Undefined when it is invalid or was issued for other filters. */
export function parsePageToken(text: string, filters: string): PageToken | undefined {
  const [position, id, headPosition, headId, hash] = decodeToken(text, pageForm) ?? []
  if (!position || !id || !headPosition || !headId || hash !== hashOf(filters, 16)) return undefined
  return { after: parse(position, id), head: parse(headPosition, headId) }
}

/** The token for the next page of the do-not-contact list. */
export function renderOptOutToken({ recordedAt, contact }: OptOutPlace): string {
  return encodeToken(`${recordedAt} ${contact}`)
}

/** Parses such a token. Throws `invalid_argument`. */
export function parseOptOutToken(text: string): OptOutPlace {
  const [recordedAt, contact] = decodeToken(text, /^(\S{24}) (\S+)$/) ?? []
  if (recordedAt && contact) return { recordedAt, contact }
  throw invalid('pageToken', inboxFaults.page_token)
}
