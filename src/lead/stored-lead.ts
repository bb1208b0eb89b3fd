import type { ConsentRecord, LeadKind } from './submission.ts'

/** Why personal data went: a person asked for it, or `LEAD_RETENTION_DAYS` had passed. */
export type ErasureReason = 'request' | 'retention'

/** When and why the personal data of a lead went. */
export interface Erasure {
  /** RFC 3339 in UTC with milliseconds. */
  at: string
  reason: ErasureReason
}

/** A consent record as it is kept. An erasure leaves `clientAddress`, `userAgent` and `pageUrl` null. */
export interface StoredConsent extends ConsentRecord {
  /** The server's time of receipt: RFC 3339 in UTC with milliseconds. */
  receivedAt: string
  /** 64 hexadecimal digits; null when the service had no key for it. */
  seal: string | null
}

/** A lead as it is kept. */
export interface StoredLead {
  /** Where it stands in the order in which leads were committed: 1 and up, with gaps. */
  position: number
  id: string
  kind: LeadKind
  /** RFC 3339 in UTC with milliseconds. */
  receivedAt: string
  /** The canonical JSON that the consent record's `contentSha256` was taken over; null exactly when erased. */
  content: string | null
  erasure: Erasure | null
  /** Null only when someone has removed it behind the service's back. */
  consent: StoredConsent | null
}

/** Which leads to read. Members that are left out let every lead through. */
export interface LeadFilter {
  kind?: LeadKind | undefined
  /** Received at this time or later: RFC 3339 in UTC with milliseconds. */
  receivedAfter?: string | undefined
  /** Received before this time: RFC 3339 in UTC with milliseconds. */
  receivedBefore?: string | undefined
}

/** What reading pages of leads needs of a store. Rejects with a `LeadError` `inbox_unavailable` when it is away. */
export interface PageReader {
  /** At most `limit` leads after a position, in the order of their positions: every one that was committed before. */
  readAfter(position: number, limit: number, filter?: LeadFilter): Promise<StoredLead[]>
}

/** What following the leads as they come needs of a store. */
export interface TailReader extends PageReader {
  /**
   * Calls `listener` soon after leads were stored, by whichever replica; a call may be missed and may be for nothing.
   * Gives what ends it.
   */
  onStored(listener: () => void): () => void
}

/** What the inbox needs of a store. Rejects with a `LeadError` `inbox_unavailable` when it is away. */
export interface LeadReader extends TailReader {
  find(id: string): Promise<StoredLead | undefined>
  /** The id of the lead at a position. */
  idAt(position: number): Promise<string | undefined>
}

/**
 * What erasure needs of a store. In one transaction go: the content, the personal part of the consent record, and the
 * claims on Idempotency-Key and content. The id, the kind, the times and the rest of the consent record stay.
 */
export interface LeadEraser {
  /** Gives when the lead was erased, which for one that had been erased before is that time; undefined: no such lead. */
  erase(id: string, erasure: Erasure): Promise<string | undefined>
  /**
   * Erases at most `limit` leads received before a time (RFC 3339 in UTC with milliseconds) and gives their number.
   * Undefined: another replica is at it.
   */
  eraseReceivedBefore(receivedBefore: string, erasure: Erasure, limit: number): Promise<number | undefined>
}
