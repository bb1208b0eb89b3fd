import type { Client } from 'pg'
import { StoreError } from '../error.ts'
import { openBackup } from '../sqlite/backup-table.ts'
import { withSession } from './connection.ts'
import { migratePostgres } from './migrate.ts'

/** Rows per insert: about 6 MB of the longest leads. */
const rowsAtOnce = 500

/** The lock blocks writers, so that a database that was empty stays empty until everything is imported. */
const begin = `
  BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
  LOCK TABLE leads IN SHARE ROW EXCLUSIVE MODE`

/** May already have rows: a service that was started before the restore has recorded its wordings. */
const shared = 'wordings'

const advance = `
  SELECT setval('feed_position', last) FROM (
    SELECT greatest((SELECT max(position) FROM leads), (SELECT max(position) FROM changes)) AS last
  ) places WHERE last IS NOT NULL`

/**
 * Without this, PostgreSQL plans as for empty tables, and a listing by time reads every lead, until autovacuum has
 * analyzed the tables and summarized their pages for the BRIN indexes.
 */
const tidy = 'VACUUM (ANALYZE) leads, changes, claims'

async function requireEmpty(client: Client, table: string): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(`SELECT EXISTS (SELECT FROM ${table}) AS found`)
  if (rows[0]?.found)
    throw new StoreError('not_empty', false, `the table ${table} is not empty: restore to a new database`)
}

/** Imports a backup into a database without leads, in one transaction. Rejects with a `StoreError`. */
export async function importIntoPostgres(url: string, file: string): Promise<void> {
  const backup = openBackup(file)
  try {
    await migratePostgres(url)
    await withSession(url, async (client) => {
      await client.query(begin)
      for (const table of backup.tables) {
        const { name, columns } = table
        if (name !== shared) await requireEmpty(client, name)
        const insert = `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${name}, $1)
          ${name === shared ? 'ON CONFLICT DO NOTHING' : ''}`
        for (const rows of backup.rows(table, rowsAtOnce)) await client.query(insert, [JSON.stringify(rows)])
      }
      await client.query(advance)
      await client.query('COMMIT')
      // Everything is imported by now. If this fails, autovacuum does the same later.
      await client.query(tidy).catch(() => {})
    })
  } finally {
    backup.close()
  }
}
