import pg from 'pg'
import { postgresMigrations } from '../../../src/store/postgres/migrations.ts'
import { postgresUrl, skipWithoutEngine } from '../../support/backends.ts'
import type { StoreBackend } from '../database.ts'

/** A new PostgreSQL database for each test. */
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
