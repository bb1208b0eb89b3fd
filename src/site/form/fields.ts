/** The kinds of lead, as in `formType`. */
export type Kind = 'quote' | 'support'

/** The fields of each kind, in order. Those in an inner list appear next to each other. */
export const layouts = {
  quote: ['name', ['phone', 'email', 'bedrooms', 'bathrooms'], 'service', 'notes', 'communicationsConsent'],
  support: ['name', ['phone', 'email'], 'helpWith', 'message'],
} as const

export type FieldName = keyof typeof inputs

export interface Input {
  tag: 'input' | 'select' | 'textarea'
  type?: string
  autocomplete?: string
  /** The most characters that the service accepts. */
  most?: number
  /** Matches every value that the service accepts. */
  needs?: RegExp
  isCount?: boolean
}

const count = { tag: 'input', needs: /\p{N}|studio/iu, isCount: true } as const
const tenDigits = /^(?=(?:\P{Nd}*\p{Nd}){10})(?:tel:)?\P{L}*$/iu

export const inputs = {
  name: { tag: 'input', autocomplete: 'name', most: 200 },
  phone: { tag: 'input', type: 'tel', autocomplete: 'tel', needs: tenDigits },
  email: { tag: 'input', type: 'email', autocomplete: 'email', needs: /.[@＠]./ },
  bedrooms: count,
  bathrooms: count,
  service: { tag: 'select' },
  notes: { tag: 'textarea', most: 5000 },
  communicationsConsent: { tag: 'input', type: 'checkbox' },
  helpWith: { tag: 'input', most: 100 },
  message: { tag: 'textarea', most: 5000 },
} satisfies Record<string, Input>

/** Removes invisible characters: direction marks, zero-width spaces and soft hyphens that come with pasted text. */
export function clean(text: string): string {
  return text
    .replace(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu, '')
    .trim()
}

/** `3 bedrooms` is 3, a studio is 0, and `2 1/2`, `2½` and `2,5` are 2.5. */
export function readCount(text: string): string {
  return text
    .replace(/^(?:an? )?studio(?: apartment)?$/i, '0')
    .replace(/\s*b(?:ed(?:room)?|ath(?:room)?|[adr])s?\.?$/i, '')
    .replace(/\s*(?:½|\b1\/2)$/, '.5')
    .replace(/^\./, '0.')
    .replace(',', '.')
    .replace(/\.0+$/, '')
    .replace(/\s+\+$/, '+')
}
