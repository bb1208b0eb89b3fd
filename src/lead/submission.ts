/** A quote request or a contact message. `formType`, the database and the metrics call a contact message `support`. */
export type LeadKind = 'quote' | 'support'

/** What a caller sent, unchecked: JSON values by REST name. */
export type Candidate = Readonly<Record<string, unknown>>

/** A checked and normalized lead: the fields that the caller sent, by REST name. */
export type LeadContent = Readonly<Record<string, string | boolean>>

export interface Submission {
  kind: LeadKind
  content: LeadContent
}

/** How a submission arrived: `path` in evidence and metrics (docs/specification.md §9). */
export type SubmissionPath = 'rest-v1' | 'rest-legacy' | 'rpc'

export interface SubmissionOrigin {
  requestId: string
  submissionPath: SubmissionPath
  /** The scope of the Idempotency-Key: the client's key for REST, one common scope for all internal callers. */
  keyScope: string
  clientAddress: string | undefined
  userAgent: string | undefined
  /** The certificate name of the calling system, for RPC with client certificates. */
  caller?: string | undefined
  /** The version of the wording presented to the customer, as sent: `presentedVersion` in evidence once recognized. */
  consentVersion?: string | undefined
  /** For RPC: whether the calling system provided the end customer's address and user agent. */
  originSent?: boolean | undefined
}

/** What a caller gets for a lead (docs/specification.md §2): no personal data, no state. */
export interface Receipt {
  id: string
  formType: LeadKind
  receivedAt: string
}

/** A lead to be stored. Times are RFC 3339 in UTC with milliseconds. `…Until` is when a claim ends, if there is one. */
export interface NewLead {
  id: string
  kind: LeadKind
  receivedAt: string
  personal: string
  evidence: string
  /** In the form in which contacts are compared. */
  phone: string
  email: string
  /** The hashes are those of `fingerprint.ts`. */
  contentHash: string
  contentUntil: string | null
  keyHash: string | null
  keyUntil: string | null
}

export type StoreOutcome =
  /** Committed with fsync. */
  | { kind: 'created' }
  /** The key was used before with the same content, or the content within its window. `receipt` is the first one. */
  | { kind: 'replayed' | 'duplicate'; receipt: Receipt }
  | { kind: 'key_reused' }

export interface WordingName {
  version: string
  sha256: string
}

/** Creates the two texts of a lead (docs/specification.md §9). `presented` is the wording that the caller stated. */
export type CreateTexts = (
  submission: Submission,
  receipt: Pick<Receipt, 'id' | 'receivedAt'>,
  origin: SubmissionOrigin,
  presented: WordingName | undefined,
) => { personal: string; evidence: string }

/**
 * What `submit` needs from a store. `add` rejects with `service_unavailable` if the outcome is unknown at the deadline,
 * with `overloaded` if the queue is full, and with another error if the database refuses this lead. `onLate` gets an
 * outcome that becomes known after the deadline.
 */
export interface LeadStore {
  /** Resolves to undefined if no wording ever had this version. */
  findWording(version: string): Promise<WordingName | undefined>
  add(lead: NewLead, onLate?: (outcome: StoreOutcome) => void): Promise<StoreOutcome>
}
