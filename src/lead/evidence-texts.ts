import { randomBytes } from 'node:crypto'
import { sha256 } from './fingerprint.ts'
import type { LeadContent, LeadKind, Receipt, Submission, SubmissionOrigin, Via, WordingName } from './submission.ts'
import type { ConsentTexts } from './wording.ts'

/** The personal part of a lead. Stored as one text, which an erasure removes. */
export interface Personal {
  /** The checked submission, `pageUrl` included. */
  content: LeadContent
  /** Absent when unknown. */
  clientAddress?: string | undefined
  userAgent?: string | undefined
  /** 32 random bytes in base64url, erased with the rest: nobody can later confirm a guess of the rest by its hash. */
  random: string
}

/**
 * The part of a lead that is kept forever (docs/specification.md §9). This is the only list of its members. They are
 * stored as one text and never updated. Absent members do not apply to the lead.
 */
export interface Evidence {
  /** These three are those of the lead's row, so that the hash of the evidence covers them. */
  id: string
  kind: LeadKind
  receivedAt: string
  /** The value as given. Null for a contact message, which has no such field. */
  communicationsConsent: boolean | null
  /** `consentTimestamp` exactly as given. */
  consentTimestamp?: string | undefined
  path: Via
  purpose: string
  /** The version of the consent wording in force. */
  termsVersion: string
  /** SHA-256 of the rendered consent wording in force. The table `wordings` has the text. */
  wordingSha256: string
  /** SHA-256 of the statement that a caller makes by sending `true`. The table `wordings` has the text. */
  statementSha256: string
  /** SHA-256 of who the business was: name, postal address, phone and e-mail address. The table `wordings` has the text. */
  businessSha256: string
  /** The version of the wording presented to the customer, as the caller stated. Absent: not stated. */
  presentedVersion?: string | undefined
  /** Its SHA-256. The table `wordings` has the text. */
  presentedSha256?: string | undefined
  requestId: string
  /** The certificate name of the calling system, for RPC with client certificates. */
  caller?: string | undefined
  /** For RPC: whether the calling system provided the end customer's address and user agent. */
  originSent?: boolean | undefined
  /** SHA-256 of the personal part's text. */
  personalSha256: string
}

/** The purpose of the consent, by kind of lead. */
const purposes = {
  quote: 'contact about this quote request',
  support: 'answer this message',
} as const satisfies Record<LeadKind, string>

/** Headers can be several kilobytes long. Evidence does not need more than this. */
const userAgentMaxLength = 512

/**
 * Creates the two texts of a lead: JSON without white space, members in the order of the interfaces above. A contact
 * message has no consent field, so its evidence records null, not `true`.
 */
export function createTexts(
  { content, kind }: Submission,
  { id, receivedAt }: Pick<Receipt, 'id' | 'receivedAt'>,
  origin: SubmissionOrigin,
  consent: ConsentTexts,
  presented?: WordingName,
) {
  const consented = kind === 'quote' ? presented : undefined
  const personal: string = JSON.stringify({
    content,
    clientAddress: origin.clientAddress,
    userAgent: origin.userAgent?.slice(0, userAgentMaxLength),
    random: randomBytes(32).toString('base64url'),
  } satisfies Personal)
  const { communicationsConsent, consentTimestamp } = content
  const evidence: string = JSON.stringify({
    id,
    kind,
    receivedAt,
    communicationsConsent: typeof communicationsConsent === 'boolean' ? communicationsConsent : null,
    consentTimestamp: typeof consentTimestamp === 'string' ? consentTimestamp : undefined,
    path: origin.via,
    purpose: purposes[kind],
    termsVersion: consent.wording.version,
    wordingSha256: consent.wording.sha256,
    statementSha256: consent.statement.sha256,
    businessSha256: consent.business.sha256,
    presentedVersion: consented?.version,
    presentedSha256: consented?.sha256,
    requestId: origin.requestId,
    caller: origin.caller,
    originSent: origin.originSent,
    personalSha256: sha256(personal),
  } satisfies Evidence)
  return { personal, evidence }
}

/** These decode a text that the service has stored. */
export const decodePersonal = (text: string): Personal => JSON.parse(text)
export const decodeEvidence = (text: string): Evidence => JSON.parse(text)
