import { hash } from 'node:crypto'
import type { Submission } from './submission.ts'

/** Fields that do not distinguish submissions: about consent and the page (docs/specification.md §7). */
const ignored = new Set(['communicationsConsent', 'consentTimestamp', 'pageUrl'])

/** SHA-256 as 64 hexadecimal digits. */
export function sha256(text: string | Uint8Array): string {
  return hash('sha256', text, 'hex')
}

/** The key of a claim, as 32 hexadecimal digits. */
const claimHash = (text: string) => sha256(text).slice(0, 32)

/** Covers `formType` and the customer's fields, ignoring case, repeated spaces and the encoding of accents (NFC). */
export function contentHash({ content }: Submission): string {
  const counted: unknown[] = []
  for (const name in content) {
    if (!ignored.has(name)) counted.push(name, content[name])
  }
  return claimHash(JSON.stringify(counted).normalize('NFC').toLowerCase().replace(/ {2,}/g, ' '))
}

export const keyHash = (scope: string, key: string) => claimHash(JSON.stringify({ scope, key }))
