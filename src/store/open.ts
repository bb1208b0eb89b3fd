import type { LeadStore, NewLead, StoreOutcome } from '../lead/submission.ts'
import type { Backend } from './backend.ts'
import { storeLeads } from './claims.ts'
import { isTransient } from './error.ts'
import type { EvidenceStore } from './evidence.ts'
import { createGroupCommit } from './group-commit.ts'
import { createHealthWatch, type Health } from './health.ts'
import { createInboxStore, type InboxStore } from './inbox.ts'
import type { Wording } from './wording.ts'

export interface Store extends LeadStore {
  /** Whether leads can be stored now. Resolves within a second; an answer is good for another. */
  check(): Promise<Health>
  /** The database's clock, in milliseconds since the epoch: the same for every replica. */
  readClock(): Promise<number>
  /** Deletes the claims that had expired at `nowIso`, in small batches, and gives their number. */
  prune(nowIso: string): Promise<number>
  /** How leads are read and erased. */
  readonly inbox: InboxStore
  /** How the evidence is sealed and checked. Rejects with a `StoreError`. */
  readonly evidence: EvidenceStore
  /** Takes nothing more, stores what is queued, and closes: within six seconds. */
  close(): Promise<void>
}

/** One attempt to commit a batch of leads. */
export interface BatchStats {
  /** Leads in the batch. */
  size: number
  seconds: number
  outcome: 'committed' | 'failed'
}

export interface StoreOptions {
  /** `sqlite:PATH`, or a `postgres://` or `postgresql://` URL. */
  url: string
  /** The texts that evidence names by hash. Each is recorded before the first lead is stored. */
  wordings?: readonly Wording[]
  onBatch?(stats: BatchStats): void
  /** Runs one commit; left out: no traces. */
  traceCommit?: (<T>(leads: readonly NewLead[], commit: () => Promise<T>) => Promise<T>) | undefined
  /** The database is away: once for each attempt that failed so. The error holds no personal data. */
  onError?(error: unknown): void
}

/** Measured: larger batches gain little, and lengthen the wait of the leads behind them. */
const batchMax = 128

/** Leads that may wait: a tenth of a second's work for either database. */
const queueMax = 2_000

/** Contract: a submission that is not stored by then answers 503 and is safe to send again. */
const deadlineMs = 5_000

/** Short enough to come back at once, long enough not to press on a database that recovers. */
const backoffMs = { first: 50, max: 500 }

/** Small, so that leads that are being stored meanwhile wait for a moment only. */
const pruneBatch = 500

/** Drivers are loaded when they are needed: a start pays for one of them only. */
async function openBackend(url: string, wordings: readonly Wording[] = []): Promise<Backend> {
  if (url.startsWith('sqlite:')) {
    const { openSqlite } = await import('./sqlite/store.ts')
    return await openSqlite(url.slice('sqlite:'.length), wordings)
  }
  if (url.startsWith('postgres://') || url.startsWith('postgresql://')) {
    const { openPostgres } = await import('./postgres/store.ts')
    return await openPostgres(url, wordings)
  }
  throw new TypeError('the store needs sqlite:PATH or a postgres:// URL')
}

/** Brings the schema up to date, and nothing else. Rejects with a `StoreError`. Safe to run many times at once. */
export async function migrate(url: string): Promise<void> {
  const backend = await openBackend(url)
  try {
    // A database that is away would be waited for by a service; a migration is done or has failed.
    await backend.probe()
  } finally {
    await backend.close()
  }
}

/** Brings the schema up to date and opens the store. Rejects with a `StoreError` when the database is away. */
export async function openStore({ url, wordings, onBatch, traceCommit, onError }: StoreOptions): Promise<Store> {
  const backend = await openBackend(url, wordings)
  const health = createHealthWatch({ probe: () => backend.probe(), leadsWait: () => commits.waiting > 0 })

  async function commit(leads: readonly NewLead[]): Promise<StoreOutcome[]> {
    const startedMs = performance.now()
    const report = (outcome: BatchStats['outcome']) =>
      onBatch?.({ size: leads.length, seconds: (performance.now() - startedMs) / 1_000, outcome })
    try {
      const store = () => storeLeads(backend, leads)
      const outcomes = await (traceCommit ? traceCommit(leads, store) : store())
      health.committed()
      report('committed')
      return outcomes
    } catch (error) {
      if (isTransient(error)) {
        health.failed(error)
        onError?.(error)
      }
      report('failed')
      throw error
    }
  }

  const commits = createGroupCommit({ commit, isTransient, batchMax, queueMax, deadlineMs, backoffMs })

  let closing: Promise<void> | undefined

  async function closeAll() {
    await commits.close()
    await backend.close()
  }

  return {
    submit: commits.submit,
    check: async () => (closing === undefined ? await health.check() : { ok: false, reason: 'closed' }),
    readClock: backend.readClock,
    prune: async (nowIso) => {
      let pruned = 0
      while (closing === undefined) {
        const batch = await backend.prune(nowIso, pruneBatch)
        pruned += batch
        if (batch < pruneBatch) break
      }
      return pruned
    },
    inbox: createInboxStore(backend.inbox),
    evidence: backend.evidence,
    close: () => {
      closing ??= closeAll()
      return closing
    },
  }
}
