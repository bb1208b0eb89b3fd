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
  maxLength?: number
  /** Matches every value that the service accepts. */
  pattern?: RegExp
}

const count = { tag: 'input', pattern: /\p{N}|[s\uff53].*[t\uff54].*[u\uff55]/iu } as const
const tenDigits = /^(?!.*x)(?:\P{Nd}*\p{Nd}){10}/iu

export const inputs = {
  name: { tag: 'input', autocomplete: 'name', maxLength: 200 },
  phone: { tag: 'input', type: 'tel', autocomplete: 'tel', pattern: tenDigits },
  email: { tag: 'input', type: 'email', autocomplete: 'email', pattern: /.[@＠%].+[.\u3002\uff0e\uff61]./ },
  bedrooms: count,
  bathrooms: count,
  service: { tag: 'select' },
  notes: { tag: 'textarea', maxLength: 5000 },
  communicationsConsent: { tag: 'input', type: 'checkbox' },
  helpWith: { tag: 'input', maxLength: 100 },
  message: { tag: 'textarea', maxLength: 5000 },
} satisfies Record<string, Input>

/** Removes invisible characters: direction marks, zero-width spaces and soft hyphens that come with pasted text. */
export function clean(text: string): string {
  return text
    .replace(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu, '')
    .trim()
}
