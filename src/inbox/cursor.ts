import { sha256 } from '../lead/fingerprint.ts'
import type { InboxStore } from './stored-lead.ts'

/** A database that was restored from an older backup may have reused the position of an entry, but not its id. */
export interface Cursor {
  position: number
  id: string
}

/** The cursor before the first entry. Every database knows it, even an empty one. */
export const beginning: Cursor = { position: 0, id: '00000000-0000-0000-0000-000000000000' }

export async function cursorAt(store: Pick<InboxStore, 'idAt'>, position: number): Promise<Cursor> {
  return { position, id: (await store.idAt(position)) ?? beginning.id }
}

const checkDigits = 10

/** Encodes a cursor or a page token. Its check digits reveal one that was truncated or issued for another purpose. */
export function renderToken(purpose: string, value: object): string {
  const text = JSON.stringify(value)
  return Buffer.from(text + sha256(`${purpose} ${text}`).slice(0, checkDigits)).toString('base64url')
}

/** Returns undefined if the token was not issued for this purpose. */
export function parseToken<Value extends object>(purpose: string, token: string): Value | undefined {
  try {
    const value = JSON.parse(Buffer.from(token, 'base64url').toString().slice(0, -checkDigits))
    // Node ignores characters that are not base64url. Accept only the exact text that was issued.
    return renderToken(purpose, value) === token ? value : undefined
  } catch {
    return undefined
  }
}
