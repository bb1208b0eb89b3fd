import { setTimeout } from 'node:timers/promises'
import type { Client, DatabaseError } from 'pg'
import type { PublishedText } from '../../consent/wording.ts'
import { type Database, isTransient, Listeners, StoreError } from '../database.ts'
import { headPosition, recordPublishedText } from '../queries.ts'
import { explainNewer, readVersion, runMigrations } from '../schema.ts'
import { createPostgresConnection, locks, withSession } from './connection.ts'
import { insertLeads, whereReadable } from './insert.ts'
import { postgresMigrations } from './migrations.ts'

/** A schema change that waits for a lock blocks the inserts behind it. So it gives up, lets them pass, and retries. */
const migration = { lockMs: 1_000, pauseMs: 1_500, attempts: 8 }

/** `lock_not_available` and `deadlock_detected`. */
const blockedStates = ['55P03', '40P01']
/** A table, a column or a function that is missing or differs. */
const schemaStates = /^(42P01|42703|42883|42804|23502)$/

/**
 * Requires UTF-8, because other encodings miss characters or accept bytes that are not text, and no pooler in
 * transaction mode, which loses session settings such as `synchronous_commit`. Such a pooler gives two sessions the
 * same server process, though other users of the pool may hide that.
 */
async function requireUsable(url: string, session: Client): Promise<void> {
  const text = `SELECT current_setting('server_encoding') AS encoding, pg_backend_pid() AS pid`
  const read = async (on: Client) => (await on.query<{ encoding: string; pid: number }>(text)).rows[0]
  const [own, other] = [await read(session), await withSession(url, read)]
  const remedy = `create another one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`
  if (own?.encoding !== 'UTF8')
    throw new StoreError('encoding', false, `the database has the encoding ${own?.encoding}: ${remedy}`)
  const pooled = 'DATABASE_URL points to a pooler in transaction mode; session mode is required'
  if (own.pid === other?.pid) throw new StoreError('pooler', false, pooled)
}

/**
 * Runs the pending migrations, and records the texts. If several processes start at once, one migrates and the others
 * wait. The lock of the feed keeps batches away, to avoid a deadlock. Rejects with a `StoreError`, a transient one if
 * another session held a lock during all attempts.
 */
export async function migratePostgres(
  url: string,
  migrations = postgresMigrations,
  publishedTexts: readonly PublishedText[] = [],
): Promise<void> {
  const begin = `BEGIN; SET LOCAL lock_timeout = ${migration.lockMs}; SELECT ${locks.migrate}, ${locks.feed}`
  for (let left = migration.attempts - 1; ; left--) {
    try {
      return await withSession(url, async (session) => {
        await requireUsable(url, session)
        const read = async (sql: string) => (await session.query(sql)).rows
        await runMigrations({ exec: (sql) => session.query(sql), read }, migrations, begin)
        try {
          for (const text of publishedTexts) await session.query(recordPublishedText(text))
          if ((await readVersion({ read })) > migrations.length)
            await session.query(`SET lock_timeout = ${migration.lockMs}; ${writeProbe}`)
        } catch (error) {
          if (!schemaStates.test(String((error as DatabaseError).code))) throw error
          throw await explainNewer(error, { read }, migrations)
        }
      })
    } catch (error) {
      if (left === 0 || !(error instanceof StoreError) || !blockedStates.includes(error.code)) throw error
      await setTimeout(migration.pauseMs)
    }
  }
}

/** Whether the sequence lags behind the feed. Some ways to copy a database omit the sequence. */
const sequenceLags = `(SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM feed_position) < ${headPosition}`

/** Advances the sequence if it lags: no lead may get a position that a consumer has passed. */
async function alignSequence(session: Client): Promise<void> {
  const { rows } = await session.query<{ lags: boolean }>(`SELECT ${sequenceLags} AS lags`)
  if (rows[0]?.lags === false) return
  // One transaction. Its second statement sees what was committed before it got the lock.
  await session.query(`SELECT ${locks.feed};
    SELECT setval('feed_position', ${headPosition}) WHERE ${sequenceLags}`)
}

/** Stores no lead, but needs the locks and rights to store one. */
const storeNothing = `(SELECT count(*) FROM store_leads(${Array(12).fill("'{}'").join(', ')}) ${whereReadable}) AS nothing`

/** Fails on a full disk, a read-only server, a standby that does not confirm, a locked table or a missing right. */
const writeProbe = `
  INSERT INTO write_probe (id, written_at) SELECT 1, now() FROM ${storeNothing}
  ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at`

/** Only standbys have the same identifier, so it survives a failover, and differs after `pg_restore`. */
const identity = `SELECT concat_ws('/', system_identifier, current_database(), current_schema()) AS name
  FROM pg_control_system()`

const clock = 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms'

/** Each commit that adds to the feed notifies this channel. `store_leads` does it for leads. */
const channel = 'leads'

const beginChange = { text: `SELECT ${locks.feed}, pg_notify('${channel}', '')` }

/** Statement timeouts, in milliseconds. A page of the longest leads takes a while on a busy server. */
const readMs = 5_000
/** An opt-out may concern tens of thousands of leads, and must succeed. */
const changeMs = 10_000

/** PostgreSQL 13 or later. Each statement retries an unavailable server. Rejects if retrying cannot help. */
export async function openPostgres(url: string, publishedTexts: readonly PublishedText[]): Promise<Database> {
  let migrated: Promise<void> | undefined
  /** Migrates once. After a failure, the next call tries again. */
  const ready = () => {
    migrated ??= migratePostgres(url, postgresMigrations, publishedTexts).catch((error: unknown) => {
      migrated = undefined
      throw error
    })
    return migrated
  }
  await ready().catch((error: unknown) => {
    if (!isTransient(error)) throw error
  })
  const stored = new Listeners()
  const reconnected = new Listeners()
  const writer = createPostgresConnection({ url, ready, onConnected: alignSequence })
  // A separate connection, so that health checks and maintenance do not wait behind leads, nor leads behind them.
  const maintainer = createPostgresConnection({ url, ready, onConnected: alignSequence })
  const reader = createPostgresConnection({
    url,
    ready,
    statementMs: readMs,
    readsOnly: true,
    onConnected: async (session) => {
      reconnected.call()
      session.on('notification', stored.call)
      if (stored.size > 0) await session.query(`LISTEN ${channel}`)
      // There was no notification of leads stored while there was no session.
      stored.call()
    },
  })
  /** Takes effect before the next read. If it fails, so does the session, and the next session listens if needed. */
  const send = (text: string) => void reader.query({ text }).catch(() => {})

  return {
    insert: (leads) => insertLeads(writer, leads),
    readDurable: async (statement) => {
      const { rows } = await writer.query<never>(statement)
      // The rows may come from an attempt that gave up waiting for the standby. A later commit confirms them too.
      if (rows.length > 0) await writer.query({ text: writeProbe })
      return rows
    },
    read: async (statement) => (await reader.query<never>(statement)).rows,
    run: async (statement) => (await maintainer.query(statement)).rows,
    change: (statements) => maintainer.transaction<never>([beginChange, ...statements], changeMs),
    identify: async () => String((await maintainer.query<{ name: string }>({ text: identity })).rows[0]?.name),
    readClock: async () => Number((await maintainer.query<{ ms: string }>({ text: clock })).rows[0]?.ms),
    probe: async () => void (await maintainer.query({ text: writeProbe })),
    // Listens only while somebody follows the feed, because each notification wakes processes.
    onStored: (listener) => {
      const remove = stored.subscribe(listener)
      if (stored.size === 1) send(`LISTEN ${channel}`)
      return () => {
        if (remove() && stored.size === 0) send(`UNLISTEN ${channel}`)
      }
    },
    onReconnected: reconnected.subscribe,
    close: async () => void (await Promise.all([writer.close(), maintainer.close(), reader.close()])),
  }
}
