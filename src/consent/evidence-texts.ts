import { randomUUID } from 'node:crypto'
import { sha256 } from '../lead/fingerprint.ts'
import { cleanLine } from '../lead/normalize.ts'
import type { CreateTexts, LeadContent, LeadKind, SubmissionOrigin } from '../lead/submission.ts'
import type { ConsentTexts } from './wording.ts'

/** The personal part of a lead. Stored as one text, which an erasure removes. */
export interface Personal {
  content: LeadContent
  clientAddress?: string | undefined
  userAgent?: string | undefined
  /** 122 random bits as a UUID, so that after an erasure nobody can confirm a guess of the rest by its hash. */
  random: string
}

/** Kept forever, and never updated (docs/specification.md §9). Members that do not apply to a lead are absent. */
export interface Evidence {
  /** These three are also in the lead's row; here, the hash of the evidence covers them. */
  id: string
  kind: LeadKind
  receivedAt: string
  /** Null for a contact message, which has no such field. */
  communicationsConsent: boolean | null
  consentTimestamp?: string | undefined
  path: SubmissionOrigin['submissionPath']
  purpose: string
  /** The version and hash of the consent wording in force. The table `wordings` has the text of each hash. */
  wordingVersion: string
  wordingSha256: string
  statementSha256: string
  /** Who the business was: name, postal address, phone and e-mail address. */
  businessSha256: string
  /** The wording presented to the customer, according to the caller. */
  presentedVersion?: string | undefined
  presentedSha256?: string | undefined
  requestId: string
  caller?: string | undefined
  originSent?: boolean | undefined
  personalSha256: string
}

const purposes: Readonly<Record<LeadKind, string>> = {
  quote: 'contact about this quote request',
  support: 'answer this message',
}

/** Creates the function that writes the two texts: JSON without white space, members in the order of the interfaces. */
export function createTextWriter(consent: ConsentTexts): CreateTexts {
  return ({ content, kind }, { id, receivedAt }, origin, presented) => {
    const personal: string = JSON.stringify({
      content,
      clientAddress: origin.clientAddress,
      userAgent: cleanLine(origin.userAgent?.slice(0, 512) ?? '') || undefined,
      random: randomUUID(),
    } satisfies Personal)
    const { communicationsConsent, consentTimestamp } = content
    const evidence: string = JSON.stringify({
      id,
      kind,
      receivedAt,
      communicationsConsent: typeof communicationsConsent === 'boolean' ? communicationsConsent : null,
      consentTimestamp: typeof consentTimestamp === 'string' ? consentTimestamp : undefined,
      path: origin.submissionPath,
      purpose: purposes[kind],
      wordingVersion: consent.wording.version,
      wordingSha256: consent.wording.sha256,
      statementSha256: consent.statement.sha256,
      businessSha256: consent.business.sha256,
      presentedVersion: presented?.version,
      presentedSha256: presented?.sha256,
      requestId: origin.requestId,
      caller: origin.caller,
      originSent: origin.originSent,
      personalSha256: sha256(personal),
    } satisfies Evidence)
    return { personal, evidence }
  }
}

export const decodePersonal = (text: string): Personal => JSON.parse(text)
export const decodeEvidence = (text: string): Evidence => JSON.parse(text)
