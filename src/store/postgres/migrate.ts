import { setTimeout } from 'node:timers/promises'
import type { Client } from 'pg'
import { StoreError } from '../error.ts'
import { type Migration, pendingMigrations } from '../migration.ts'
import { beginReadCommitted, locks, withSession } from './connection.ts'
import { postgresMigrations } from './migrations.ts'

/**
 * The lock timeout, in milliseconds. A schema change that waits for a lock blocks every insert queued behind it, and
 * `pg_dump` locks every table while it reads. So the migration gives up after a second, lets the inserts pass, and
 * retries.
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

/** Other encodings lack characters that customers use, or accept bytes that are not text. */
async function requireUtf8(client: Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(`SELECT current_setting('server_encoding') AS encoding`)
  const encoding = rows[0]?.encoding
  if (encoding === 'UTF8') return
  const remedy = `create another one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`
  throw new StoreError('encoding', false, `the database has the encoding ${encoding}: ${remedy}`)
}

/**
 * A pooler in transaction mode gives two clients the same server process, one after the other, and loses the settings of
 * a session, `synchronous_commit` among them. Other clients of the same pool may hide that.
 */
async function requireOwnProcess(url: string, client: Client): Promise<void> {
  const read = async (reader: Client) =>
    (await reader.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid
  const pid = await read(client)
  if ((await withSession(url, read)) !== pid) return
  throw new StoreError('pooler', false, 'a pooler in transaction mode stands before the database: use its session mode')
}

async function attempt(client: Client, migrations: readonly Migration[]): Promise<void> {
  await requireUtf8(client)
  if (await isCurrent(client, migrations)) return
  await client.query(beginReadCommitted)
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
 * Runs the pending migrations in one transaction, then `afterwards` on the same connection. When several processes
 * start at once, one migrates and the others wait. If nothing is pending it only reads, so a role without DDL rights is
 * enough. Rejects with a `StoreError`; it is transient when a lock was held for all the attempts.
 */
export async function migratePostgres(
  url: string,
  migrations = postgresMigrations,
  afterwards = async (_client: Client): Promise<void> => {},
): Promise<void> {
  for (let left = attempts - 1; ; left--) {
    try {
      await withSession(url, async (client) => {
        await requireOwnProcess(url, client)
        await attempt(client, migrations)
        await afterwards(client)
      })
      return
    } catch (error) {
      if (left === 0 || !(error instanceof StoreError) || !blockedStates.has(error.code)) throw error
      await setTimeout(pauseMs)
    }
  }
}
