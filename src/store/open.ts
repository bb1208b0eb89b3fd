import { existsSync } from 'node:fs'
import { logRecords, type Witness } from '../consent/restore-lines.ts'
import type { PublishedText } from '../consent/wording.ts'
import type { NewLead, StoreOutcome, WordingName } from '../lead/submission.ts'
import { findStored, storeLeads } from './claims.ts'
import { type Database, isTransient, StoreError, sqlitePath } from './database.ts'
import { createGroupCommit, storeUnavailable } from './group-commit.ts'
import { createHealthWatch, reasonOf } from './health-watch.ts'
import { createInboxStore } from './inbox-store.ts'
import { findWording, pruneExpired, readNewest, readPublishedTexts } from './queries.ts'

export type Store = Awaited<ReturnType<typeof openStore>>

export interface StoreOptions {
  /** `sqlite:PATH`, or a `postgres://` or `postgresql://` URL. */
  url: string
  /** The texts that evidence refers to by hash. All of them are recorded before the first lead is stored. */
  publishedTexts?: readonly PublishedText[]
  /** How long storing a lead may take, in milliseconds, before the answer is a 503: five seconds by default. */
  deadlineMs?: number | undefined
  witness?: Witness
  /** Whether this replica cannot store, and others can. */
  canOnlyOthersStore?(): boolean
  /** Called for each attempt to commit a batch. */
  onBatch?(seconds: number): void
  /** Called with the reason for each attempt that an outage failed, and with none when leads can be stored again. */
  onHealth?(trouble: string | undefined): void
  /** Called with the reason if the wording that a lead states cannot be looked up. Others may still be stored. */
  onLookupFailure?(reason: string): void
}

/** How many leads may share a commit. Smaller batches would make an overload worse. */
const batchMax = 1_024
/** How many leads may wait: what a database can store within the deadline at 1,000 a second. */
const queueMax = 5_000
/** So that a lone lead never waits, and at 500 a second a commit has four leads. docs/decisions/0004-group-commit.md */
const gather = { ms: 8, enough: 16 }
/** Short after a brief outage, but long enough not to overload a recovering database. */
const backoffMs = { first: 50, max: 500 }
/** Claims per statement: few, so that leads wait only briefly behind it. */
const pruneBatch = 500
/** How long balancers take to notice that a replica is unready: in k8s/base, two probes, 5 s apart, of at most 3 s. */
const takenOutSeconds = 15

/** Imports only the driver in use, to keep the start fast. */
async function openDatabase(url: string, publishedTexts: readonly PublishedText[] = []): Promise<Database> {
  const path = sqlitePath(url)
  if (path === undefined) return (await import('./postgres/database.ts')).openPostgres(url, publishedTexts)
  return (await import('./sqlite/database.ts')).openSqlite(path, publishedTexts)
}

/** Runs the migrations and closes the database. Rejects with a `StoreError`. Safe to run concurrently. */
export async function migrate(url: string): Promise<void> {
  const database = await openDatabase(url)
  // Opening tolerates an unavailable database, because the service retries later. A migration must fail.
  await database.probe().finally(database.close)
}

/** Opens the store for a command. Does not create a SQLite file, whose path may be misspelled. */
export async function openExistingStore(url: string): Promise<Store> {
  const path = sqlitePath(url)
  if (path !== undefined && !existsSync(path))
    throw new StoreError('ENOENT', false, `there is no database at ${path}: check DATABASE_URL`)
  return await openStore({ url })
}

/**
 * Runs the migrations and opens the store. Rejects with a `StoreError` if the database cannot be used. If a PostgreSQL
 * server is only unavailable, it resolves, and the store keeps reconnecting.
 */
export async function openStore(options: StoreOptions) {
  const { url, deadlineMs = 5_000, witness, canOnlyOthersStore = () => false, onBatch, onHealth } = options
  const database = await openDatabase(url, options.publishedTexts)
  const health = createHealthWatch(database.probe, (trouble) => {
    if (trouble === undefined) commits.settle()
    onHealth?.(trouble)
  })
  const inbox = createInboxStore(database)

  async function commit(leads: readonly NewLead[]): Promise<StoreOutcome[]> {
    const startedMs = performance.now()
    try {
      const outcomes = await storeLeads(database, leads)
      health.noteCommit()
      return outcomes
    } catch (error) {
      if (isTransient(error)) health.noteFailure(error)
      throw error
    } finally {
      onBatch?.((performance.now() - startedMs) / 1_000)
    }
  }

  async function recheck(leads: readonly NewLead[]): Promise<(StoreOutcome | undefined)[]> {
    const stored = await findStored(database, leads)
    return leads.map(({ id }) => (stored.has(id) ? { kind: 'created' } : undefined))
  }

  const commits = createGroupCommit({ commit, recheck, batchMax, queueMax, deadlineMs, backoffMs, gather })
  let closing: Promise<void> | undefined

  return {
    findWording: async (version: string): Promise<WordingName | undefined> => {
      try {
        return (await database.read<WordingName>({ text: findWording, values: [version] }))[0]
      } catch (error) {
        options.onLookupFailure?.(reasonOf(error))
        throw storeUnavailable()
      }
    },
    /** Refuses at once while only other replicas can store: then callers should try one of those. */
    add: async (lead: NewLead, onLate?: (outcome: StoreOutcome) => void): Promise<StoreOutcome> => {
      try {
        if (!canOnlyOthersStore()) return await commits.add(lead, onLate)
      } catch (error) {
        if (!canOnlyOthersStore()) throw error
      }
      throw storeUnavailable(takenOutSeconds)
    },
    findTrouble: health.findTrouble,
    identify: database.identify,
    readClock: database.readClock,
    /** When the newest lead was received, in milliseconds since the epoch. 0 without leads. */
    readNewest: async () =>
      Date.parse((await database.read<{ receivedAt: string }>({ text: readNewest }))[0]?.receivedAt ?? '') || 0,
    /** Deletes claims that expired by `nowIso`, in small batches. Returns how many it deleted. */
    prune: async (nowIso: string) => {
      let pruned = 0
      while (closing === undefined) {
        const { length } = await database.run({ text: pruneExpired, values: [nowIso, pruneBatch] })
        pruned += length
        if (length < pruneBatch) break
      }
      return pruned
    },
    inbox: witness ? logRecords(inbox, witness) : inbox,
    /** All texts that evidence may refer to by hash. Rejects with a `StoreError`. */
    readPublishedTexts: () => database.read<Required<PublishedText> & { since: string }>({ text: readPublishedTexts }),
    /** Accepts no more leads, stores the queued ones, and closes. Takes at most six seconds. */
    close: async () => {
      closing ??= commits.close().then(database.close)
      await closing
    },
  }
}
