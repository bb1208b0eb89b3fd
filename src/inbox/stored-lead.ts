import type { LeadKind } from '../lead/submission.ts'

/** RFC 3339 in UTC with milliseconds, which sorts by time. */
export type Time = string

/** Stands for a day without a time. In North America, it is the same day as in UTC. */
export const dayOnly = 'T12:00:00.000Z'

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** When, why and by whom the personal data of a lead was erased. */
export interface Erasure {
  at: Time
  /** `retention` after `LEAD_RETENTION_DAYS`. */
  reason: 'request' | 'retention'
  /** The calling system's certificate name. Null for the service itself, or a caller without a name. */
  caller: string | null
}

/** A lead in its current state. `consent/evidence-texts.ts` decodes its two texts. */
export interface StoredLead {
  /** In commit order. Leads and changes share one sequence, which starts at 1 and has gaps. */
  position: number
  id: string
  kind: LeadKind
  receivedAt: Time
  /** Null after an erasure. */
  personal: string | null
  evidence: string
  erasure: Erasure | null
  /** When the opt-out that applies to this lead was recorded, or null if none applies. */
  optedOutAt: Time | null
  /** Whether an opt-out of all channels was recorded after the lead was received. */
  optedOutOfAll: boolean
  /** The channels that the person's opt-outs name. Empty for all channels, and for an erased lead. */
  optedOutChannels: readonly string[]
}

/** A lead when it was received, or a later change to it. */
export interface FeedEntry {
  position: number
  /** The id of the lead or of the change, unique among all entries. */
  id: string
  at: Time
  what: 'received' | 'erased' | 'opted_out'
  lead: StoredLead
}

/** A phone number or an e-mail address, in the form in which contacts are compared. */
export interface Contact {
  field: 'phone' | 'email'
  value: string
}

/** Which leads to read. `receivedAfter` includes its time. Erased leads match no contact. */
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
  hasMore: boolean
}

export interface OptOut {
  /** A UUID, also in the log: after a restore it shows which opt-outs are known. */
  id: string
  /** In the form in which contacts are compared. */
  contact: string
  /** Null if unknown. */
  name: string | null
  /** Named as in the proto file, in lowercase. Empty for all channels. */
  channels: readonly string[]
  saidAt: Time
  /** An `OptOutHow` of the proto file in lowercase; `erasure` or `restore` if the service learned of it that way. */
  how: string
  recordedAt: Time
  caller: string | null
}

/** An opt-out to record. The log names the leads in place of the contact. */
export type NewOptOut = Omit<OptOut, 'contact'> & { contact: Contact; leadIds: readonly string[] }

/** Reads and erases leads, and records opt-outs. Rejects with `inbox_unavailable` while the store is down. */
export interface InboxStore {
  /** The first `limit` leads after a position, in commit order. */
  readLeads(after: number, limit: number, filter?: LeadFilter): Promise<StoredLead[]>
  /** Leads and changes after a position, in commit order: within the bounds, but always at least one. */
  readFeed(after: number, bounds: { rows: number; bytes: number }, kind?: LeadKind): Promise<FeedPage>
  /** The last position, or 0 if the feed is empty. No transaction in flight can still add an entry below it. */
  head(): Promise<number>
  /** Calls `listener` soon after the feed has grown; a call may be spurious or get lost. Returns the unsubscriber. */
  onStored(listener: () => void): () => void
  /** The same before the first read on a new connection to the database: another server may have taken over. */
  onReconnected(listener: () => void): () => void
  find(id: string): Promise<StoredLead | undefined>
  idAt(position: number): Promise<string | undefined>
  /** A position shortly before all entries stamped at `time` or later. */
  positionBefore(time: Time): Promise<number>
  readAges(after: number, limit: number): Promise<{ position: number; id: string; receivedAt: Time; erased: 0 | 1 }[]>

  /**
   * In one transaction: removes the personal part, the contacts and the claims of each lead, adds a change to the feed,
   * and records the opt-outs. The rest stays, with the opt-out that each lead shows. Returns the ids of those that had
   * not been erased before.
   */
  erase(ids: readonly string[], erasure: Erasure, optOuts?: readonly NewOptOut[]): Promise<string[]>
  /**
   * In one transaction: records the opt-out, and adds a change to the feed for each lead of the person, unless it is
   * erased, shows a later opt-out, or shows one of the same or all channels from after it was received.
   */
  recordOptOut(optOut: NewOptOut): Promise<void>
  /** The opt-outs of these contacts, the oldest first. */
  findOptOuts(contacts: readonly Contact[]): Promise<OptOut[]>
  /** The first `limit` opt-outs, or those after a given one, the oldest first. */
  listOptOuts(after: Pick<OptOut, 'recordedAt' | 'contact' | 'id'> | undefined, limit: number): Promise<OptOut[]>
  /** The ids of the person's 20 oldest leads: enough to find the contact in an older copy of the database. */
  findLeadIds(contact: Contact): Promise<string[]>
}
