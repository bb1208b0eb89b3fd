import type { Client } from 'pg'
import { StoreError } from '../error.ts'
import { openBackup } from '../sqlite/backup-table.ts'
import { withSession } from './connection.ts'
import { migratePostgres } from './migrate.ts'

/** Rows that are sent at once: some six megabytes of the longest leads. */
const rowsAtOnce = 500

/** Nothing is stored meanwhile, so that a database that was empty stays so until all is in it. */
const begin = `
  BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
  LOCK TABLE leads IN SHARE ROW EXCLUSIVE MODE`

/** A service that was started before the restore has recorded its own wordings. */
const shared = 'wordings'

const advance = `
  SELECT setval('feed_position', last) FROM (
    SELECT greatest((SELECT max(position) FROM leads), (SELECT max(position) FROM changes)) AS last
  ) places WHERE last IS NOT NULL`

async function requireEmpty(client: Client, table: string): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(`SELECT EXISTS (SELECT FROM ${table}) AS found`)
  if (rows[0]?.found)
    throw new StoreError('not_empty', false, `the table ${table} is not empty: restore to a new database`)
}

/** Brings a backup into a database without leads, in one transaction. Rejects with a `StoreError`. */
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
    })
  } finally {
    backup.close()
  }
}
