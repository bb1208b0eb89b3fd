/** The two kinds of lead, as `formType` writes them. */
export type LeadKind = 'quote' | 'support'

/** What a caller sent, before any judgement: JSON values by the REST names. Own members only are looked at. */
export type Candidate = Readonly<Record<string, unknown>>

/** A checked and normalised lead: the members that the kind knows and the caller gave, by their REST names. */
export type LeadContent = Readonly<Record<string, string | boolean>>

/** A candidate that passed every check. */
export interface Submission {
  kind: LeadKind
  content: LeadContent
}

/** How a submission came (contract §9). */
export type SubmissionPath = 'rest-v1' | 'rest-legacy' | 'rpc'

/** What is known of the request that carries a submission. Goes to the consent record, and nowhere else. */
export interface SubmissionOrigin {
  requestId: string
  path: SubmissionPath
  /** The client's network address as text; not a bucket. */
  clientAddress: string | undefined
  userAgent: string | undefined
}

/** What a caller gets for a lead (contract §2): no personal data, no state. */
export interface Receipt {
  /** A UUID version 7 in lower case. */
  id: string
  formType: LeadKind
  /** RFC 3339 in UTC with milliseconds. */
  receivedAt: string
}

/** The evidence of consent, stored with the lead and never updated (contract §9). */
export interface ConsentRecord {
  /** The value as given; null for a contact message, which has no such field. */
  communicationsConsent: boolean | null
  /** `consentTimestamp` exactly as given. */
  consentTimestamp: string | null
  clientAddress: string | null
  userAgent: string | null
  pageUrl: string | null
  path: SubmissionPath
  purpose: string
  termsVersion: string
  wordingSha256: string
  /** SHA-256 over the canonical content, 64 hexadecimal digits. */
  contentSha256: string
  requestId: string
}

/** A lead on its way to the store. Every hash is 64 hexadecimal digits, every time RFC 3339 in UTC with milliseconds. */
export interface NewLead {
  id: string
  kind: LeadKind
  receivedAt: string
  /** The canonical JSON of the content: the text that `contentSha256` is taken over. */
  content: string
  /** SHA-256 over what counts for a duplicate. */
  fingerprint: string
  /** Until when the same content is a duplicate; null: it never is. */
  contentUntil: string | null
  /** SHA-256 of the Idempotency-Key; null: none given. */
  keyHash: string | null
  /** Until when the key is remembered; null exactly when `keyHash` is. */
  keyUntil: string | null
  consent: ConsentRecord
  /** Shows that nobody has altered the consent record; null where there is no key to make it with. */
  seal: string | null
}

/** What became of a lead that the store took. */
export type StoreOutcome =
  /** Stored and durable: committed with fsync. */
  | { kind: 'created' }
  /** The key was used before with the same content: the first receipt. */
  | { kind: 'replayed'; receipt: Receipt }
  /** The same content was stored before within the window: the first receipt. */
  | { kind: 'duplicate'; receipt: Receipt }
  /** The key was used before with other content. */
  | { kind: 'key_reused' }

/**
 * What `submit` needs of a store. Lead, consent record, idempotency record and duplicate check are one transaction.
 * Rejects with a `LeadError` `service_unavailable` when the outcome is unknown or the store is away for longer than its
 * deadline, `overloaded` when its queue is full, and with any other error when the database refuses this lead alone.
 */
export interface LeadStore {
  submit(lead: NewLead): Promise<StoreOutcome>
}
