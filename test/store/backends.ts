// Both databases, as the tests of the store and of the evidence use them.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { postgresMigrations } from '../../src/store/postgres/migrations.ts'
import { sqliteMigrations } from '../../src/store/sqlite/migrations.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'

/** Direct access to the tables, bypassing the store. */
export interface OpenDatabase {
  all(sql: string): Promise<Record<string, unknown>[]>
  exec(sql: string): Promise<void>
  /** SQL for a time in the format of a receipt. */
  iso(time: unknown): string
  /** SQL for a claim's hash as 32 hexadecimal digits. */
  hash(value: unknown): string
  close(): Promise<void>
}

export interface StoreBackend {
  name: string
  /** The reason to skip, for a test's `skip`. */
  skip: string | false
  /** The URL of a new, empty database. */
  newUrl(): Promise<string>
  openDatabase(url: string): Promise<OpenDatabase>
  /** The versions of a migrated schema. */
  versions: number[]
  /** SQL after which leads with "poison" in their personal part are rejected … */
  refusePoison: string
  /** … and the pattern of the error for such a lead. */
  refusedPoison: RegExp
}

export const newFile = (...names: string[]) => join(mkdtempSync(join(tmpdir(), 'leads-')), ...names)

export const sqliteBackend: StoreBackend = {
  name: 'SQLite',
  skip: false,
  newUrl: async () => `sqlite:${newFile('new', 'leads.db')}`,
  openDatabase: async (url) => {
    const database = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 5_000 })
    return {
      all: async (sql) => database.prepare(sql).all(),
      exec: async (sql) => database.exec(sql),
      iso: String,
      hash: String,
      close: async () => database.close(),
    }
  },
  versions: sqliteMigrations.map(({ version }) => version),
  refusePoison: `
    CREATE TRIGGER refuse_poison BEFORE INSERT ON leads WHEN NEW.personal LIKE '%poison%'
    BEGIN SELECT RAISE(ABORT, 'poisoned'); END`,
  refusedPoison: /sqlite_19: poisoned/,
}

export const postgresBackend: StoreBackend = {
  name: 'PostgreSQL',
  skip: skipWithoutEngine,
  newUrl: postgresUrl,
  openDatabase: async (url) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return {
      all: async (sql) => (await client.query(sql)).rows,
      exec: async (sql) => void (await client.query(sql)),
      iso: (time) => (time as Date).toISOString(),
      hash: (value) => String(value).replaceAll('-', ''),
      close: () => client.end(),
    }
  },
  versions: postgresMigrations.map(({ version }) => version),
  refusePoison: `ALTER TABLE leads ADD CONSTRAINT unpoisoned CHECK (personal NOT LIKE '%poison%')`,
  refusedPoison: /postgres: 23514 leads unpoisoned/,
}

export const backends = [sqliteBackend, postgresBackend]
