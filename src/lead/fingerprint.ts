import { hash } from 'node:crypto'
import type { Submission } from './submission.ts'

/** The fields that do not make a submission another one: when and where consent was given (contract §7). */
const ignored = new Set(['communicationsConsent', 'consentTimestamp', 'pageUrl'])

/**
 * The one text form of a content: JSON, members in the order of the proto file, values as normalised. It is what is
 * stored, and what both hashes are taken over.
 */
export function canonicalContent({ content }: Submission): string {
  return JSON.stringify(content)
}

/** SHA-256 in 64 hexadecimal digits. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}

/** SHA-256 over the kind and every customer field: equal exactly for submissions that are duplicates of each other. */
export function fingerprint({ content }: Submission): string {
  const counted: unknown[] = []
  for (const name in content) {
    if (!ignored.has(name)) counted.push(name, content[name])
  }
  return sha256(JSON.stringify(counted))
}
