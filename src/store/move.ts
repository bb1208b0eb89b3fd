import type { Client } from 'pg'
import { StoreError } from './database.ts'
import { withSession } from './postgres/connection.ts'
import { migratePostgres } from './postgres/database.ts'
import { openExclusively } from './sqlite/backup.ts'

/** Rows per insert, about 6 MB of the longest leads. */
const rowsAtOnce = 500

/** The tables to move. The others are written by migrations, health checks and SQLite itself. */
const tablesOf = `SELECT name FROM sqlite_schema WHERE type = 'table'
  AND name NOT IN ('schema_migrations', 'write_probe', 'sqlite_sequence') ORDER BY name`

async function copyTable(source: ReturnType<typeof openExclusively>, session: Client, name: string): Promise<number> {
  const countStored = async () =>
    (await session.query<{ count: number }>(`SELECT count(*) FROM ${name}`)).rows[0]?.count
  if ((await countStored()) !== 0) {
    const remedy = 'use a new database, on which the service has not been started'
    throw new StoreError('not_empty', false, `the table ${name} is not empty: ${remedy}`)
  }
  const insert = `INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, $1)`
  const rows: unknown[] = []
  let count = 0
  const send = async () => {
    await session.query(insert, [JSON.stringify(rows)])
    count += rows.splice(0).length
  }
  for (const row of source.prepare(`SELECT * FROM ${name}`).iterate()) {
    rows.push(row)
    if (rows.length === rowsAtOnce) await send()
  }
  await send()
  const stored = await countStored()
  if (stored !== count) throw new StoreError('count', false, `${name} has ${count} rows here and ${stored} there`)
  return count
}

/** Copies a database, positions included, into an empty one, in one transaction. Returns the rows of each table. */
export async function moveToPostgres(path: string, url: string): Promise<Record<string, number>> {
  using source = openExclusively(path)
  await migratePostgres(url)
  return await withSession(url, async (session) => {
    await session.query('BEGIN; LOCK TABLE leads IN SHARE ROW EXCLUSIVE MODE')
    const copied: Record<string, number> = {}
    for (const { name } of source.prepare(tablesOf).all()) {
      copied[String(name)] = await copyTable(source, session, String(name))
    }
    // The last position that was assigned, even if its entry is not in a table.
    const last = source.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'leads'`).get()?.seq ?? 0
    await session.query(`SELECT setval('feed_position', $1) WHERE $1 > 0`, [last])
    await session.query('COMMIT')
    // PostgreSQL plans as for empty tables until they are analyzed. If this fails, autovacuum does it later.
    await session.query('VACUUM (ANALYZE) leads, changes, claims').catch(() => {})
    return copied
  })
}
