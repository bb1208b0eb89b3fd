import { setTimeout } from 'node:timers/promises'
import type { Client } from 'pg'
import { StoreError } from '../error.ts'
import { type Migration, pendingMigrations } from '../migration.ts'
import { withSession } from './connection.ts'
import { locks } from './lock.ts'
import { postgresMigrations } from './migrations.ts'

/**
 * A schema change that waits for a lock (a `pg_dump` holds one on every table, for as long as it reads) holds up every
 * insert that comes after it. So it gives up after a second, lets those pass, and tries again.
 */
const lockMs = 1_000
const pauseMs = 1_500
const attempts = 8

/** `lock_not_available` and `deadlock_detected`. */
const blockedStates = new Set(['55P03', '40P01'])

async function appliedVersions(client: Client): Promise<Set<number>> {
  const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_migrations')
  return new Set(rows.map(({ version }) => version))
}

async function isCurrent(client: Client, migrations: readonly Migration[]): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS found`,
  )
  return rows[0]?.found === true && pendingMigrations(migrations, await appliedVersions(client)).length === 0
}

async function attempt(client: Client, migrations: readonly Migration[]): Promise<void> {
  if (await isCurrent(client, migrations)) return
  await client.query('BEGIN')
  // For this transaction only: behind a pooler, a setting of the session would stay with someone else's connection.
  await client.query(`SET LOCAL lock_timeout = ${lockMs}; SET LOCAL statement_timeout = 0`)
  await client.query(`SELECT ${locks.migrate}`)
  await client.query(`
    CREATE TABLE IF NOT EXISTS schema_migrations (
      version    integer PRIMARY KEY,
      name       text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )
  `)
  for (const { version, name, sql } of pendingMigrations(migrations, await appliedVersions(client))) {
    await client.query(sql)
    await client.query('INSERT INTO schema_migrations (version, name) VALUES ($1, $2)', [version, name])
  }
  await client.query('COMMIT')
}

/**
 * Brings the schema up to date in one transaction; of several at once, one does it and the others wait. A schema that is
 * up to date is only read, so that a role without the right to change it suffices. Rejects with a `StoreError`, a transient
 * one when something held a lock all the time.
 */
export async function migratePostgres(url: string, migrations = postgresMigrations): Promise<void> {
  for (let left = attempts - 1; ; left--) {
    try {
      await withSession(url, (client) => attempt(client, migrations))
      return
    } catch (error) {
      if (left === 0 || !(error instanceof StoreError) || !blockedStates.has(error.code)) throw error
      await setTimeout(pauseMs)
    }
  }
}
