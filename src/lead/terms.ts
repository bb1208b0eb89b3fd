import { sha256 } from './fingerprint.ts'
import type { LeadKind } from './submission.ts'

/** One version of the wording that a customer agrees to, kept readable for as long as a record may name it. */
export interface Wording {
  /** The version, which is the date it came into force: YYYY-MM-DD. */
  version: string
  /** What the customer agrees to. */
  text: string
}

/** Every wording that was ever in force, oldest first. Add to it; never change an entry. */
export const wordings: readonly [Wording, ...Wording[]] = [
  {
    version: '2026-01-01',
    text: 'I ask to be contacted about this request by phone, text message and e-mail at the details that I have given, and I agree to such communications. My agreement is not a condition of any purchase, and I can withdraw it at any time.',
  },
]

/** The wording in force. */
export const currentWording: Wording = wordings.at(-1) ?? wordings[0]

/** SHA-256 of the wording in force, which each consent record names. */
export const currentWordingSha256: string = sha256(currentWording.text)

/** What the consent is asked for, by kind of lead. */
export const purposes = {
  quote: 'contact about this quote request',
  support: 'answer this message',
} as const satisfies Record<LeadKind, string>
