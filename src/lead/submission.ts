/** The two kinds of lead, as `formType` writes them. */
export type LeadKind = 'quote' | 'support'

/** What a caller sent, before any judgement: JSON values by the REST names. Own members only are looked at. */
export type Candidate = Readonly<Record<string, unknown>>

/** A checked and normalized lead: the members that the kind knows and the caller gave, by their REST names. */
export type LeadContent = Readonly<Record<string, string | boolean>>

/** A candidate that passed every check. */
export interface Submission {
  kind: LeadKind
  content: LeadContent
}

/** How a submission came (docs/specification.md §9). */
export type SubmissionPath = 'rest-v1' | 'rest-legacy' | 'rpc'

/** What is known of the request that carries a submission. All of it but `keyScope` goes into the lead's evidence. */
export interface SubmissionOrigin {
  requestId: string
  path: SubmissionPath
  /** Whose Idempotency-Keys these are: the client's network for REST, one common scope for internal callers. */
  keyScope: string
  /** The client's network address as text; not a bucket. */
  clientAddress: string | undefined
  userAgent: string | undefined
  /** The certificate name of the calling system, for RPC with client certificates. */
  caller?: string | undefined
  /** For RPC: whether the calling system named the end customer's address and user agent. */
  originSent?: boolean | undefined
}

/** What a caller gets for a lead (docs/specification.md §2): no personal data, no state. */
export interface Receipt {
  /** A UUID version 7 in lower case. */
  id: string
  formType: LeadKind
  /** RFC 3339 in UTC with milliseconds. */
  receivedAt: string
}

/** A lead on its way to the store. Hashes of claims are 32 hexadecimal digits, times RFC 3339 in UTC with milliseconds. */
export interface NewLead {
  id: string
  kind: LeadKind
  receivedAt: string
  /** The text of the personal part (`evidence.ts`). */
  personal: string
  /** The text of the evidence. */
  evidence: string
  /** Equal exactly for submissions that are duplicates of each other. */
  contentHash: string
  /** Until when the same content is a duplicate; null: it never is. */
  contentUntil: string | null
  /** Hash of the Idempotency-Key within its scope; null: none given. */
  keyHash: string | null
  /** Until when the key is remembered; null exactly when `keyHash` is. */
  keyUntil: string | null
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
 * What `submit` needs of a store. Lead, evidence, idempotency key and duplicate check are one transaction.
 * Rejects with a `LeadError` `service_unavailable` when the outcome is unknown or the store is away for longer than its
 * deadline, `overloaded` when its queue is full, and with any other error when the database refuses this lead alone.
 */
export interface LeadStore {
  submit(lead: NewLead): Promise<StoreOutcome>
}
