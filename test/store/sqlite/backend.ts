import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqliteMigrations } from '../../../src/store/sqlite/migrations.ts'
import type { StoreBackend } from '../database.ts'

/** A new SQLite file for each test. */
export const sqliteBackend: StoreBackend = {
  name: 'SQLite',
  skip: false,
  newUrl: async () => `sqlite:${join(mkdtempSync(join(tmpdir(), 'leads-')), 'new', 'leads.db')}`,
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
