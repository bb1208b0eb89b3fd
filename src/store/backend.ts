import type { ClaimTable } from './claims.ts'
import type { EvidenceStore } from './evidence.ts'
import type { InboxStore } from './inbox.ts'

/** What the store needs from a database. Every rejection is a `StoreError`. */
export interface Backend extends ClaimTable {
  /** Commits a small write, to prove that a lead could be stored. */
  probe(): Promise<void>
  /** Deletes at most `limit` claims that expired by `nowIso`. Returns how many it deleted. */
  prune(nowIso: string, limit: number): Promise<number>
  /** Reads and erasures never block writes of leads. */
  readonly inbox: InboxStore
  readonly evidence: EvidenceStore
  close(): Promise<void>
}
