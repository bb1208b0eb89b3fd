import type { LeadKind } from './submission.ts'

/** Why personal data was erased: a person asked for it, or `LEAD_RETENTION_DAYS` had passed. */
export type ErasureReason = 'request' | 'retention'

/** When, why and by whom the personal data of a lead was erased. */
export interface Erasure {
  /** RFC 3339 in UTC with milliseconds. */
  at: string
  reason: ErasureReason
  /** The calling system's certificate name; null: the service itself, or a caller without a name. */
  caller: string | null
}

/** A lead as it is kept. `evidence.ts` reads its two texts. */
export interface StoredLead {
  /** Its place in the order of the commits, which leads and changes share: 1 and up, with gaps. */
  position: number
  id: string
  kind: LeadKind
  /** RFC 3339 in UTC with milliseconds. */
  receivedAt: string
  /** The text of the personal part; null once it has been erased. */
  personal: string | null
  /** The text of the evidence. */
  evidence: string
  erasure: Erasure | null
  /** When the stop was recorded that was last found to concern this lead. */
  stoppedAt: string | null
}

/** A place in the feed: a lead at its own place, or at the place of something that happened to it later. */
export interface FeedEntry {
  position: number
  /** The id of the lead, or of the change: no two entries ever have the same. */
  id: string
  /** When it was received, erased or stopped: RFC 3339 in UTC with milliseconds. */
  at: string
  /** What happened at this place. */
  what: 'received' | 'erased' | 'stopped'
  /** The lead as it is now. */
  lead: StoredLead
}

/** Which leads to read. Members that are left out let every lead through. */
export interface LeadFilter {
  kind?: LeadKind | undefined
  /** Received at this time or later: RFC 3339 in UTC with milliseconds. */
  receivedAfter?: string | undefined
  /** Received before this time: RFC 3339 in UTC with milliseconds. */
  receivedBefore?: string | undefined
}

/** A phone number of 10 digits or an e-mail address, as a stored content has it. */
export interface Contact {
  field: 'phone' | 'email'
  value: string
}

/** How much one page may hold. */
export interface PageBounds {
  rows: number
  /** Bytes of both texts together. A page holds one entry at least, however long it is. */
  bytes: number
}

/** A part of the feed. */
export interface FeedPage {
  entries: FeedEntry[]
  /** The last place examined: what the filter left out is included. Go on after it. */
  examined: number
  /** Whether the feed may hold more behind `examined` already. */
  more: boolean
}

/** A part of a scan for one person's leads. */
export interface ScanPage {
  leads: StoredLead[]
  /** The last place examined. */
  examined: number
  /** Whether there are leads behind `examined`. */
  more: boolean
}

/** What reading pages of leads needs of a store. Rejects with a `LeadError` `inbox_unavailable` when it is away. */
export interface PageReader {
  /** At most `limit` leads after a position, in the order of their positions: every one that was committed before. */
  readAfter(position: number, limit: number, filter?: LeadFilter): Promise<StoredLead[]>
}

/** What following the feed needs of a store. */
export interface TailReader extends PageReader {
  /** What lies after a position in the order of the commits, leads and changes together. */
  readChanges(position: number, bounds: PageBounds, filter?: Pick<LeadFilter, 'kind'>): Promise<FeedPage>
  /** The last place below which nothing can still be committed; 0: nothing has been. */
  head(): Promise<number>
  /**
   * Calls `listener` soon after the feed has grown, by whichever replica; a call may be missed and may be for nothing.
   * Returns an unsubscribe function.
   */
  onStored(listener: () => void): () => void
}

/** What the inbox needs of a store. Rejects with a `LeadError` `inbox_unavailable` when it is away. */
export interface LeadReader extends TailReader {
  find(id: string): Promise<StoredLead | undefined>
  /** The id of the entry at a position: of the lead, or of the change. */
  idAt(position: number): Promise<string | undefined>
  /** The first place stamped at a time or later (RFC 3339 in UTC with milliseconds); undefined: there is none yet. */
  positionAt(time: string): Promise<number | undefined>
  /** The leads of one person among at most `limit` leads after a position. Erased leads are nobody's. */
  scanContact(position: number, limit: number, contact: Contact, filter?: LeadFilter): Promise<ScanPage>
}

/** What erasure needs of a store. */
export interface LeadEraser {
  /**
   * In one transaction: removes the personal part and the claims on Idempotency-Key and content, adds a change to the
   * feed, and records the stops. The rest stays. A lead that has been erased before gets no further change.
   * Gives when the lead was erased; undefined: no such lead, and then nothing is recorded.
   */
  erase(id: string, erasure: Erasure, stops?: readonly Stop[]): Promise<string | undefined>
  /**
   * Erases at most `limit` leads received before a time (RFC 3339 in UTC with milliseconds) and gives their ids.
   * Undefined: another replica is at it.
   */
  eraseReceivedBefore(receivedBefore: string, erasure: Erasure, limit: number): Promise<string[] | undefined>
}

/** A person's wish not to be contacted, by a keyed hash of the phone number or e-mail address. */
export interface Stop {
  /** HMAC-SHA256 of the normalized number or address: 64 hexadecimal digits. */
  contactHash: string
  /** What the person named, in the proto file's lower-case names; empty: all channels. */
  channels: readonly string[]
  saidAt: string
  how: string
  recordedAt: string
  caller: string | null
}

/** What keeping stops needs of a store. */
export interface StopStore {
  /** Resolves once the stop is durable. */
  recordStop(stop: Stop): Promise<void>
  /** Every stop of these contact hashes, in any order. */
  findStops(contactHashes: readonly string[]): Promise<Stop[]>
  /** The stops whose earlier leads have not been marked yet, oldest first: work that a crash may have left. */
  unmarkedStops(limit: number): Promise<Stop[]>
  /** Adds a change `stopped` to the feed for each of these leads that is not erased and has none of this stop yet, in one
   * transaction. */
  markStopped(ids: readonly string[], stop: Stop): Promise<void>
  /** Notes that every earlier lead of this stop has been marked. */
  stopMarked(stop: Stop): Promise<void>
}
