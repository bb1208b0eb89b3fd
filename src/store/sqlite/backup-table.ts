import { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../error.ts'
import { inTransaction } from './file.ts'
import { sqliteMigrations } from './migrations.ts'

/** A table of a backup. */
export interface BackupTable {
  name: string
  columns: string[]
}

/** The values of one row, in the order of the table's columns. */
export type BackupRow = (string | number | null)[]

const createMigrations = `
  CREATE TABLE schema_migrations (
    version    INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
  ) STRICT`

/** Not copied: the first is written by the migrations, the second is rewritten by every health check. */
const left = "('schema_migrations', 'write_probe')"

/** Lists the tables from the schema instead of a constant, so that tables added later are backed up too. */
function tablesOf(database: DatabaseSync): BackupTable[] {
  const names = database.prepare(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT IN ${left}
     ORDER BY name`,
  )
  const columns = database.prepare('SELECT name FROM pragma_table_info(?)')
  return names.all().map(({ name }) => ({
    name: String(name),
    columns: columns.all(String(name)).map((column) => String(column.name)),
  }))
}

/** Fills an empty file with the rows of another database, in one transaction per chunk. */
export async function fillBackup(
  file: string,
  rowsOf: (table: BackupTable) => AsyncIterable<BackupRow[]>,
): Promise<void> {
  const database = new DatabaseSync(file)
  try {
    // No journal: a backup that fails halfway is deleted, so nothing in it is ever rolled back.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF')
    database.exec(createMigrations)
    const record = database.prepare('INSERT INTO schema_migrations (version, name) VALUES (?, ?)')
    for (const { version, name, sql } of sqliteMigrations) {
      database.exec(sql)
      record.run(version, name)
    }
    for (const table of tablesOf(database)) {
      const insert = database.prepare(
        `INSERT INTO ${table.name} (${table.columns}) VALUES (${table.columns.map(() => '?')})`,
      )
      for await (const rows of rowsOf(table)) {
        inTransaction(database, () => {
          for (const row of rows) insert.run(...row)
        })
      }
    }
    // Leads and changes share one sequence, but SQLite has only advanced it for the inserted leads.
    database.exec(`UPDATE sqlite_sequence SET seq = max(seq, ifnull((SELECT max(position) FROM changes), 0))
      WHERE name = 'leads'`)
  } finally {
    database.close()
  }
}

/** Opens a backup to read its tables. Throws a `StoreError` when its schema is not this version's schema. */
export function openBackup(file: string) {
  const database = new DatabaseSync(file, { readOnly: true })
  const { version } = database.prepare('SELECT max(version) AS version FROM schema_migrations').get() ?? {}
  const current = sqliteMigrations.at(-1)?.version
  if (version !== current) {
    database.close()
    const message = `${file} has schema ${version}, this version has ${current}: restore it with the version that made it, then upgrade`
    throw new StoreError('schema', false, message)
  }
  return {
    tables: tablesOf(database),
    /** Yields the rows of a table in chunks of `size`. */
    *rows({ name, columns }: BackupTable, size: number): Iterable<Record<string, unknown>[]> {
      let rows: Record<string, unknown>[] = []
      for (const row of database.prepare(`SELECT ${columns} FROM ${name}`).iterate()) {
        rows.push(row)
        if (rows.length < size) continue
        yield rows
        rows = []
      }
      if (rows.length > 0) yield rows
    },
    close: () => database.close(),
  }
}
