import { sha256 } from './fingerprint.ts'
import type { ConsentRecord, Submission, SubmissionOrigin } from './submission.ts'
import { currentWording, currentWordingSha256, purposes } from './terms.ts'

/** A header may be as long as the header block; evidence needs no more than this. */
const userAgentMaxLength = 512

/**
 * Makes the evidence of consent (contract §9). `canonical` is the stored content, whose hash shows later that nothing
 * was altered. A contact message has no consent field and is recorded so, not as `true`.
 */
export function createConsentRecord(
  submission: Submission,
  canonical: string,
  origin: SubmissionOrigin,
): ConsentRecord {
  const { communicationsConsent, consentTimestamp, pageUrl } = submission.content
  return {
    communicationsConsent: typeof communicationsConsent === 'boolean' ? communicationsConsent : null,
    consentTimestamp: typeof consentTimestamp === 'string' ? consentTimestamp : null,
    clientAddress: origin.clientAddress ?? null,
    userAgent: origin.userAgent?.slice(0, userAgentMaxLength) ?? null,
    pageUrl: typeof pageUrl === 'string' ? pageUrl : null,
    path: origin.path,
    purpose: purposes[submission.kind],
    termsVersion: currentWording.version,
    wordingSha256: currentWordingSha256,
    contentSha256: sha256(canonical),
    requestId: origin.requestId,
  }
}
