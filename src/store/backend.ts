import type { ClaimTable } from './claims.ts'
import type { EvidenceStore } from './evidence.ts'
import type { InboxStore } from './inbox.ts'

/** What a database offers to the store. Every rejection is a `StoreError`. */
export interface Backend extends ClaimTable {
  /** Writes something small, durably, to show that leads can be stored. */
  probe(): Promise<void>
  /** The database's clock, in milliseconds since the epoch. */
  readClock(): Promise<number>
  /** Deletes at most `limit` claims that had expired at `nowIso`, and gives their number. */
  prune(nowIso: string, limit: number): Promise<number>
  /** Reads and erasures hold up nobody who stores. */
  readonly inbox: InboxStore
  readonly evidence: EvidenceStore
  close(): Promise<void>
}
