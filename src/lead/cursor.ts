import { createHmac, timingSafeEqual } from 'node:crypto'

/** A place in the order of leads: after this lead. The id tells when a position has been given to another lead. */
export interface Place {
  position: number
  id: string
}

/** What a token is for. One kind is not taken for the other. */
export type TokenUse = 'cursor' | 'page'

export interface Cursors {
  /** Makes an opaque token of 55 characters of base64url. `scope` is what it is valid for, such as the filters. */
  issue(use: TokenUse, place: Place, scope?: string): string
  /** The place in a token that was issued with the same key, use and scope; undefined for any other text. */
  read(use: TokenUse, token: string, scope?: string): Place | undefined
}

/** The first byte: the version of the form and the use in one. */
const marks = { cursor: 0x11, page: 0x12 } as const satisfies Record<TokenUse, number>

/** Offsets of a token: mark, position (64 bits, big-endian), the lead's UUID, and a truncated HMAC-SHA256 (RFC 2104 §5). */
const layout = { position: 1, id: 9, seal: 25, end: 41 }

const uuidParts = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/

/** Makes and reads tokens by a key. Whoever does not know the key cannot make one, nor change one unnoticed. */
export function createCursors(key: string): Cursors {
  function seal(token: Buffer, scope: string): Buffer {
    const hmac = createHmac('sha256', key).update(token.subarray(0, layout.seal))
    if (scope !== '') hmac.update(scope)
    return hmac.digest().subarray(0, layout.end - layout.seal)
  }

  return {
    issue(use, { position, id }, scope = '') {
      const token = Buffer.allocUnsafe(layout.end)
      token[0] = marks[use]
      token.writeBigUInt64BE(BigInt(position), layout.position)
      token.write(id.replaceAll('-', ''), layout.id, 'hex')
      seal(token, scope).copy(token, layout.seal)
      return token.toString('base64url')
    },

    read(use, text, scope = '') {
      const token = Buffer.from(text, 'base64url')
      // Node skips what is not base64url; only the one text that was issued counts.
      if (token.length !== layout.end || token.toString('base64url') !== text) return undefined
      if (token[0] !== marks[use] || !timingSafeEqual(token.subarray(layout.seal), seal(token, scope))) return undefined
      return {
        position: Number(token.readBigUInt64BE(layout.position)),
        id: token.toString('hex', layout.id, layout.seal).replace(uuidParts, '$1-$2-$3-$4-$5'),
      }
    },
  }
}
