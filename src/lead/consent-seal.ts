import { createHmac } from 'node:crypto'
import type { ConsentRecord, LeadKind } from './submission.ts'

/** What a seal is over. The part of the record that an erasure removes is not: the seal must hold after it too. */
export interface Sealable {
  id: string
  kind: LeadKind
  receivedAt: string
  consent: ConsentRecord
}

/** Makes the seal of a consent record: 64 hexadecimal digits. */
export type Seal = (lead: Sealable) => string

/**
 * Makes seals with a key that the database does not hold (HMAC-SHA256): whoever may do everything there still cannot
 * alter a record unnoticed. The content is sealed by its hash.
 */
export function createSeal(key: string): Seal {
  return ({ id, kind, receivedAt, consent }) => {
    const sealed = [
      id,
      kind,
      receivedAt,
      consent.communicationsConsent,
      consent.consentTimestamp,
      consent.path,
      consent.purpose,
      consent.termsVersion,
      consent.wordingSha256,
      consent.contentSha256,
      consent.requestId,
    ]
    return createHmac('sha256', key).update(JSON.stringify(sealed)).digest('hex')
  }
}
