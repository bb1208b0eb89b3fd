import type { Backend } from '../backend.ts'
import type { Claim } from '../claims.ts'
import { isTransient } from '../error.ts'
import type { Wording } from '../wording.ts'
import { createPostgresConnection } from './connection.ts'
import { createPostgresInbox } from './inbox.ts'
import { insertLeads } from './insert.ts'
import { migratePostgres } from './migrate.ts'
import { postgresMigrations } from './migrations.ts'
import { iso } from './sql.ts'
import { recordWordings } from './wordings.ts'

const findClaims = `
  SELECT replace(key::text, '-', '') AS "key", lead_id AS "leadId", ${iso('received_at')} AS "receivedAt",
    ${iso('ends_at')} AS "endsAt", replace(content::text, '-', '') AS "content"
  FROM claims WHERE key = ANY ($1::uuid[])`

const findStored = 'SELECT id FROM leads WHERE id = ANY ($1::uuid[])'

/** Stores no lead, with the locks and rights that storing one needs. */
const storeNothing = `(SELECT count(*) FROM store_leads(${Array(10).fill("'{}'").join(', ')})) AS nothing`

/**
 * Detects what a read cannot: a full disk, a read-only server, a synchronous standby that does not confirm, a locked
 * table, a missing right.
 */
const writeProbe = `
    INSERT INTO write_probe (id, written_at) SELECT 1, now() FROM ${storeNothing}
    ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at`

const pruneExpired = `
  DELETE FROM claims WHERE key IN (
    SELECT key FROM claims WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2
  )`

/** Migrates and records the wordings once. After a failure, the next call tries again. */
function createSchemaCheck(url: string, wordings: readonly Wording[]): () => Promise<void> {
  let done: Promise<void> | undefined
  const prepare = () => migratePostgres(url, postgresMigrations, (client) => recordWordings(client, wordings))
  return () => {
    done ??= prepare().catch((error: unknown) => {
      done = undefined
      throw error
    })
    return done
  }
}

/**
 * Runs the migrations and opens PostgreSQL 13 or later. If the server is unavailable, each statement retries, so the
 * service can start first and connect later. Rejects with a `StoreError` when retrying cannot help.
 */
export async function openPostgres(url: string, wordings: readonly Wording[]): Promise<Backend> {
  const ready = createSchemaCheck(url, wordings)
  await ready().catch((error: unknown) => {
    if (!isTransient(error)) throw error
  })
  const writer = createPostgresConnection({ url, ready })
  // A separate connection, so that health checks and maintenance do not wait behind leads, and leads do not wait behind
  // them.
  const keeper = createPostgresConnection({ url, ready })
  const { inbox, evidence, close: closeInbox } = createPostgresInbox({ url, ready }, keeper)

  return {
    insert: (leads) => insertLeads(writer, leads),
    find: async (leads) => {
      const keys = leads.flatMap(({ keyHash, contentHash }) =>
        keyHash === null ? contentHash : [keyHash, contentHash],
      )
      const stored = await writer.query<{ id: string }>({ text: findStored, values: [leads.map(({ id }) => id)] })
      const claims = await writer.query<Claim>({ text: findClaims, values: [keys] })
      return { stored: new Set(stored.rows.map(({ id }) => id)), claims: claims.rows }
    },
    probe: async () => {
      await keeper.query({ text: writeProbe })
    },
    prune: async (nowIso, limit) => {
      const { count } = await keeper.query({ text: pruneExpired, values: [nowIso, limit] })
      return count
    },
    inbox,
    evidence,
    close: async () => {
      await Promise.all([writer.close(), keeper.close(), closeInbox()])
    },
  }
}
