import { hash } from 'node:crypto'
import type { Submission } from './submission.ts'

/** The fields that do not make a submission another one: when and where consent was given (docs/specification.md §7). */
const ignored = new Set(['communicationsConsent', 'consentTimestamp', 'pageUrl'])

/** SHA-256 in 64 hexadecimal digits. */
export function sha256(text: string | Uint8Array): string {
  return hash('sha256', text, 'hex')
}

/** The first 128 bits of a SHA-256 in 32 hexadecimal digits: what a claim is stored by. */
function claimHash(text: string): string {
  return sha256(text).slice(0, 32)
}

/** Hash over the kind and every customer field: equal exactly for submissions that are duplicates of each other. */
export function contentHash({ content }: Submission): string {
  const counted: unknown[] = []
  for (const name in content) {
    if (!ignored.has(name)) counted.push(name, content[name])
  }
  return claimHash(JSON.stringify(counted))
}

/** Hash of an Idempotency-Key within its scope: the same text in another scope is another key. */
export function keyHash(scope: string, key: string): string {
  return claimHash(JSON.stringify({ scope, key }))
}
