import { randomFillSync } from 'node:crypto'
import { sha256 } from './fingerprint.ts'
import type { LeadContent, LeadKind, Submission, SubmissionOrigin, SubmissionPath } from './submission.ts'
import type { ConsentTexts } from './wording.ts'

/** The personal part of a lead. It is stored as one text, which an erasure removes. */
export interface Personal {
  /** The checked submission, `pageUrl` included. */
  content: LeadContent
  /** Left out where nobody knows it. */
  clientAddress?: string | undefined
  userAgent?: string | undefined
  /**
   * 32 random bytes in base64url. They are erased with the rest, so nobody can confirm afterwards what the rest was by
   * hashing a guess.
   */
  random: string
}

/**
 * What stays of a lead for good (docs/specification.md §9): the one list of its members. They are stored as one text and
 * never updated. A member that is left out does not apply to the lead.
 */
export interface Evidence {
  /** The value as given; null for a contact message, which has no such field. */
  communicationsConsent: boolean | null
  /** `consentTimestamp` exactly as given. */
  consentTimestamp?: string | undefined
  path: SubmissionPath
  purpose: string
  /** The version of the consent wording in force. */
  termsVersion: string
  /** SHA-256 of the rendered consent wording in force; the table `wordings` has its text. */
  wordingSha256: string
  /** SHA-256 of the statement that a caller makes by sending `true`; the table `wordings` has its text. */
  statementSha256: string
  requestId: string
  /** The certificate name of the calling system, for RPC with client certificates. */
  caller?: string | undefined
  /** For RPC: whether the calling system named the end customer's address and user agent. */
  originSent?: boolean | undefined
  /** SHA-256 over the text of the personal part. */
  personalSha256: string
}

/** Both texts of a lead: JSON without white space, with the members in the order of the interfaces above. */
export interface LeadTexts {
  personal: string
  evidence: string
}

/** What the consent is asked for, by kind of lead. */
const purposes = {
  quote: 'contact about this quote request',
  support: 'answer this message',
} as const satisfies Record<LeadKind, string>

/** A header may be as long as the header block; evidence needs no more than this. */
const userAgentMaxLength = 512

/** Makes the two texts of a lead. A contact message has no consent field, and its evidence says null, not `true`. */
export function createTexts(submission: Submission, origin: SubmissionOrigin, consent: ConsentTexts): LeadTexts {
  const { content, kind } = submission
  const personal: string = JSON.stringify({
    content,
    clientAddress: origin.clientAddress,
    userAgent: origin.userAgent?.slice(0, userAgentMaxLength),
    random: randomText(),
  } satisfies Personal)
  const { communicationsConsent, consentTimestamp } = content
  const evidence: string = JSON.stringify({
    communicationsConsent: typeof communicationsConsent === 'boolean' ? communicationsConsent : null,
    consentTimestamp: typeof consentTimestamp === 'string' ? consentTimestamp : undefined,
    path: origin.path,
    purpose: purposes[kind],
    termsVersion: consent.wording.version,
    wordingSha256: consent.wording.sha256,
    statementSha256: consent.statement.sha256,
    requestId: origin.requestId,
    caller: origin.caller,
    originSent: origin.originSent,
    personalSha256: sha256(personal),
  } satisfies Evidence)
  return { personal, evidence }
}

/** Reads the text of a personal part as this service has stored it. */
export function readPersonal(text: string): Personal {
  return JSON.parse(text)
}

/** Reads the text of an evidence as this service has stored it. */
export function readEvidence(text: string): Evidence {
  return JSON.parse(text)
}

const randomBytes = 32

/** Filled now and then as a whole: one call of the system's generator costs more than what it returns. */
const pool = Buffer.allocUnsafe(128 * randomBytes)
let used = pool.length

function randomText(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const text = pool.toString('base64url', used, used + randomBytes)
  // What has been handed out stays nowhere but in the lead.
  pool.fill(0, used, used + randomBytes)
  used += randomBytes
  return text
}
