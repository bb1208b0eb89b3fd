/** The two kinds of lead, as written in `formType`. */
export type LeadKind = 'quote' | 'support'

/** What a caller sent, unchecked: JSON values by REST name. */
export type Candidate = Readonly<Record<string, unknown>>

/** A checked and normalized lead: the fields that the caller sent, by REST name. */
export type LeadContent = Readonly<Record<string, string | boolean>>

export interface Submission {
  kind: LeadKind
  content: LeadContent
}

/** How a submission arrived (docs/specification.md §9). */
export type SubmissionPath = 'rest-v1' | 'rest-legacy' | 'rpc'

/** Facts about the request of a submission, for the evidence. */
export interface SubmissionOrigin {
  requestId: string
  submissionPath: SubmissionPath
  /** The scope of the Idempotency-Key: the client's key for REST, one common scope for all internal callers. */
  keyScope: string
  clientAddress: string | undefined
  userAgent: string | undefined
  /** The certificate name of the calling system, for RPC with client certificates. */
  caller?: string | undefined
  /** The version of the wording presented to the customer, as the caller wrote it. */
  consentVersion?: string | undefined
  /** For RPC: whether the calling system provided the end customer's address and user agent. */
  originSent?: boolean | undefined
}

/** What a caller gets for a lead (docs/specification.md §2): no personal data, no state. */
export interface Receipt {
  /** A UUID version 7. */
  id: string
  formType: LeadKind
  receivedAt: string
}

/** A lead to be stored. Times are RFC 3339 in UTC with milliseconds. `…Until`: when a claim ends. Null: there is none. */
export interface NewLead {
  id: string
  kind: LeadKind
  receivedAt: string
  /** The two texts of `evidence-texts.ts`. */
  personal: string
  evidence: string
  /** The contacts by which the lead is found until it is erased. */
  phone: string
  email: string
  /** `fingerprint.ts` makes both hashes. */
  contentHash: string
  contentUntil: string | null
  keyHash: string | null
  keyUntil: string | null
}

export type StoreOutcome =
  /** Committed with fsync. */
  | { kind: 'created' }
  /** The key was used before with the same content, or the content within the duplicate window. The first receipt. */
  | { kind: 'replayed' | 'duplicate'; receipt: Receipt }
  /** The key was used before with different content. */
  | { kind: 'key_reused' }

export interface WordingName {
  version: string
  sha256: string
}

/**
 * What `submit` needs from a store. `add` is one transaction. It rejects with `service_unavailable` when the outcome is
 * unknown at the deadline, `overloaded` when the queue is full, and another error when the database refuses this lead.
 */
export interface LeadStore {
  /** Undefined: no wording ever had this version. */
  findWording(version: string): Promise<WordingName | undefined>
  add(lead: NewLead): Promise<StoreOutcome>
}
