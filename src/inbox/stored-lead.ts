import type { LeadKind } from '../lead/submission.ts'

/** RFC 3339 in UTC with milliseconds, which sorts by time. */
export type Time = string

/** When, why and by whom the personal data of a lead was erased. */
export interface Erasure {
  at: Time
  /** `retention`: because `LEAD_RETENTION_DAYS` had passed. */
  reason: 'request' | 'retention'
  /** The calling system's certificate name. Null: the service itself, or a caller without a name. */
  caller: string | null
}

/** `lead/evidence-texts.ts` decodes its two texts. */
export interface StoredLead {
  /** In commit order. Leads and changes share the numbers, which start at 1 and have gaps. */
  position: number
  id: string
  kind: LeadKind
  receivedAt: Time
  /** Null after an erasure. */
  personal: string | null
  evidence: string
  erasure: Erasure | null
  /** When the opt-out that applies to this lead was recorded. Null: none applies. */
  optedOutAt: Time | null
}

/** A lead when it was received, or a later change to it. */
export interface FeedEntry {
  position: number
  /** Of the lead or of the change. Unique among all entries. */
  id: string
  at: Time
  what: 'received' | 'erased' | 'opted_out'
  /** In its current state. */
  lead: StoredLead
}

/** A phone number or an e-mail address, in the form in which contacts are compared. */
export interface Contact {
  field: 'phone' | 'email'
  value: string
}

/** Which leads to read. `receivedAfter`: at this time or later. Erased leads match no contact. */
export interface LeadFilter {
  kind?: LeadKind | undefined
  receivedAfter?: Time | undefined
  receivedBefore?: Time | undefined
  contact?: Contact | undefined
}

export interface FeedPage {
  entries: FeedEntry[]
  /** The last position examined, including entries that the filter excluded. Continue after it. */
  examined: number
  /** Whether more entries may already exist after `examined`. */
  more: boolean
}

/** An entry of the do-not-contact list. */
export interface OptOut {
  /** A UUID, which the log has too: after a restore it tells which opt-outs are known. */
  id: string
  /** In the form in which contacts are compared. */
  contact: string
  /** Null: not known. */
  name: string | null
  /** The proto file's names in lowercase. Empty: all channels. */
  channels: readonly string[]
  saidAt: Time
  /** An `OptOutHow` of the proto file in lowercase; `erasure` or `restore` if the service learned of it that way. */
  how: string
  recordedAt: Time
  caller: string | null
}

/** An opt-out to record. The log names the leads in place of the contact. */
export type NewOptOut = Omit<OptOut, 'contact'> & { contact: Contact; leadIds: readonly string[] }

/** Reads and erases leads, records opt-outs. Rejects with a `LeadError` `inbox_unavailable` while the store is down. */
export interface InboxStore {
  /** At most `limit` leads after a position, in the order of positions, including every one that is committed. */
  readLeads(after: number, limit: number, filter?: LeadFilter): Promise<StoredLead[]>
  /** Leads and changes after a position in commit order. Always one, even if its texts have more than `bytes` bytes. */
  readFeed(after: number, bounds: { rows: number; bytes: number }, kind?: LeadKind): Promise<FeedPage>
  /** The last position. No transaction in flight can still add an entry below it. 0: the feed is empty. */
  head(): Promise<number>
  /** Calls `listener` soon after the feed has grown, perhaps needlessly or not at all. Returns what ends it. */
  onStored(listener: () => void): () => void
  /** Likewise, before anything is read on a new connection to the database: another server may have taken over. */
  onReconnected(listener: () => void): () => void
  find(id: string): Promise<StoredLead | undefined>
  /** The id of the lead or change at a position. */
  idAt(position: number): Promise<string | undefined>
  /** A position shortly before all entries that are stamped at `time` or later. */
  positionBefore(time: Time): Promise<number>
  /** At most `limit` leads after a position; `erased` is 1 or 0. */
  readAges(after: number, limit: number): Promise<{ position: number; id: string; receivedAt: Time; erased: 0 | 1 }[]>

  /**
   * In one transaction: removes the personal part, the contacts, and the claims on Idempotency-Key and content, adds a
   * change to the feed, and records the opt-outs. Everything else is kept, with the opt-out that each lead shows.
   * Returns the ids, without those that were erased before.
   */
  erase(ids: readonly string[], erasure: Erasure, optOuts?: readonly NewOptOut[]): Promise<string[]>
  /**
   * In one transaction: records the opt-out, and adds a change to the feed for each lead of the person that is not erased
   * and shows no later opt-out than this one, and none after it was received.
   */
  recordOptOut(optOut: NewOptOut): Promise<void>
  /** The opt-outs of these contacts, the oldest first. */
  findOptOuts(contacts: readonly Contact[]): Promise<OptOut[]>
  /** At most `limit` opt-outs after one, the oldest first. Undefined: from the first. */
  listOptOuts(after: Pick<OptOut, 'recordedAt' | 'contact' | 'id'> | undefined, limit: number): Promise<OptOut[]>
  /** At most 20, of the person's oldest leads: enough to find the contact in an older copy of the database. */
  findLeadIds(contact: Contact): Promise<string[]>
}
