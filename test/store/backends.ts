// Both databases, as the tests of the store and of the evidence use them.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import type { NewLead } from '../../src/lead/submission.ts'
import { openStore, type Store, type StoreOptions } from '../../src/store/open.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { newFolder } from '../support/machine.ts'
import { until } from '../support/until.ts'

/** Direct access to the tables, bypassing the store. */
export type OpenDatabase = Awaited<ReturnType<typeof sqliteBackend.openDatabase>>

/** What is in the first column of each row. */
export const firstColumn = async (database: OpenDatabase, sql: string): Promise<unknown[]> =>
  (await database.all(sql)).map((row) => Object.values(row)[0])

export const newFile = (...names: string[]) => join(newFolder(), ...names)

export const sqliteBackend = {
  name: 'SQLite',
  skip: false as string | false,
  /** The URL of a new, empty database. */
  newUrl: async () => `sqlite:${newFile('new', 'leads.db')}`,
  openDatabase: async (url: string) => {
    const database = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 5_000 })
    return {
      all: async (sql: string): Promise<Record<string, unknown>[]> => database.prepare(sql).all(),
      exec: async (sql: string) => database.exec(sql),
      close: async () => database.close(),
    }
  },
  /** After this, leads with "poison" in their personal part are rejected, with such an error. */
  refusePoison: `
    CREATE TRIGGER refuse_poison BEFORE INSERT ON leads WHEN NEW.personal LIKE '%poison%'
    BEGIN SELECT RAISE(ABORT, 'poisoned'); END`,
  refusedPoison: /sqlite_19: poisoned/,
}

export const postgresBackend: typeof sqliteBackend = {
  name: 'PostgreSQL',
  skip: skipWithoutEngine,
  newUrl: postgresUrl,
  openDatabase: async (url) => {
    const client = new pg.Client({ connectionString: url })
    // The tests end connections.
    client.on('error', () => {})
    await client.connect()
    return {
      all: async (sql) => (await client.query(sql)).rows,
      exec: async (sql) => void (await client.query(sql)),
      close: () => client.end(),
    }
  },
  refusePoison: `ALTER TABLE leads ADD CONSTRAINT unpoisoned CHECK (personal NOT LIKE '%poison%')`,
  refusedPoison: /postgres: 23514 leads unpoisoned/,
}

export const backends = [sqliteBackend, postgresBackend]

/** A store on a new database. */
async function openFixture(backend: typeof sqliteBackend) {
  const url = await backend.newUrl()
  /** How long each attempt took. */
  const batches: number[] = []
  /** Why attempts failed. */
  const reasons: string[] = []
  const all = new AsyncDisposableStack()
  /** Another instance on the same database, like another replica or process. */
  const another = async (options: Partial<StoreOptions> = {}): Promise<Store> => {
    const store = await openStore({ url, ...options })
    all.defer(() => store.close())
    // A session that does not open within a second is given up. On a busy machine, the next one may.
    await until('its sessions are open', () => Promise.all([store.inbox.head(), store.prune('1970-01-01T00:00:00Z')]))
    return store
  }
  const store = await another({
    onBatch: (seconds) => batches.push(seconds),
    onHealth: (reason) => void (reason && reasons.push(reason)),
  })
  const database = await backend.openDatabase(url)
  all.defer(() => database.close())
  /** Stores leads, and returns them. */
  const fill = async <T extends NewLead[]>(...leads: T): Promise<T> => {
    await Promise.all(leads.map((lead) => store.add(lead)))
    return leads
  }
  return { url, store, batches, reasons, database, another, fill, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** A test of a store that is closed at its end. */
export const storeTest =
  (backend: typeof sqliteBackend) =>
  (title: string, body: (fixture: Awaited<ReturnType<typeof openFixture>>) => Promise<void>): void =>
    void test(title, async () => {
      await using fixture = await openFixture(backend)
      await body(fixture)
    })
