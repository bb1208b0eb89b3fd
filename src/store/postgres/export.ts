import type { Client } from 'pg'
import { StoreError } from '../error.ts'
import { type BackupRow, type BackupTable, fillBackup } from '../sqlite/backup-table.ts'
import { withSession } from './connection.ts'
import { postgresMigrations } from './migrations.ts'
import { exactTime } from './sql.ts'

/** Rows per read: about 6 MB of the longest leads. */
const rowsAtOnce = 500

/** One snapshot for the whole export. It takes no lock that would block a lead. */
const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0'

/** Hashes of claims are UUIDs in PostgreSQL and 32 hexadecimal digits elsewhere. */
const hashes = new Set(['claims.key', 'claims.content'])

/** Converts a column to SQLite's representation. */
function expression(table: string, column: string, type: string): string {
  if (hashes.has(`${table}.${column}`)) return `replace(${column}::text, '-', '')`
  if (type === 'timestamp with time zone') return exactTime(column)
  if (type === 'boolean') return `${column}::integer`
  return `${column}::text`
}

const findTypes = `
  SELECT column_name AS "column", data_type AS "type" FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = $1`

async function* readTable(client: Client, { name, columns }: BackupTable): AsyncIterable<BackupRow[]> {
  const { rows: found } = await client.query<{ column: string; type: string }>(findTypes, [name])
  const types = new Map(found.map(({ column, type }) => [column, type]))
  const values = columns.map((column) => expression(name, column, types.get(column) ?? 'none'))
  await client.query(`DECLARE exported NO SCROLL CURSOR FOR SELECT ${values} FROM ${name}`)
  for (;;) {
    const { rows } = await client.query<BackupRow>({ text: `FETCH ${rowsAtOnce} FROM exported`, rowMode: 'array' })
    if (rows.length > 0) yield rows
    if (rows.length < rowsAtOnce) break
  }
  await client.query('CLOSE exported')
}

async function requireCurrentSchema(client: Client): Promise<void> {
  const { rows } = await client.query<{ version: number }>('SELECT max(version) AS version FROM schema_migrations')
  const current = postgresMigrations.at(-1)?.version
  if (rows[0]?.version === current) return
  const message = `the database has schema ${rows[0]?.version}, this version has ${current}: back it up with the version that runs there`
  throw new StoreError('schema', false, message)
}

/** Writes a consistent snapshot of all tables to an empty file while leads are stored. Rejects with a `StoreError`. */
export async function exportPostgres(url: string, file: string): Promise<void> {
  await withSession(url, async (client) => {
    await client.query(begin)
    await requireCurrentSchema(client)
    await fillBackup(file, (table) => readTable(client, table))
    await client.query('COMMIT')
  })
}
