import type { Client } from 'pg'
import { pendingMigrations } from '../migration.ts'
import { withMigrationSession } from './connection.ts'
import { locks } from './lock.ts'
import { postgresMigrations } from './migrations.ts'

async function appliedVersions(client: Client): Promise<Set<number>> {
  const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_migrations')
  return new Set(rows.map(({ version }) => version))
}

async function isCurrent(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS found`,
  )
  return rows[0]?.found === true && pendingMigrations(postgresMigrations, await appliedVersions(client)).length === 0
}

/**
 * Brings the schema up to date in one transaction; of several at once, one does it and the others wait. A schema that is
 * up to date is only read, so that a role without the right to change it suffices. Rejects with a `StoreError`.
 */
export async function migratePostgres(url: string): Promise<void> {
  await withMigrationSession(url, async (client) => {
    if (await isCurrent(client)) return
    await client.query('BEGIN')
    await client.query(`SELECT ${locks.migrate}`)
    await client.query(`
      CREATE TABLE IF NOT EXISTS schema_migrations (
        version    integer PRIMARY KEY,
        name       text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
      )
    `)
    for (const { version, name, sql } of pendingMigrations(postgresMigrations, await appliedVersions(client))) {
      await client.query(sql)
      await client.query('INSERT INTO schema_migrations (version, name) VALUES ($1, $2)', [version, name])
    }
    await client.query('COMMIT')
  })
}
