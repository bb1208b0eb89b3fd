import type { LeadKind, NewLead } from '../../lead/submission.ts'
import type { Backend } from '../backend.ts'
import type { Claim } from '../claims.ts'
import { isTransient } from '../error.ts'
import { encodeRows } from '../row.ts'
import { createPostgresConnection } from './connection.ts'
import { createPostgresInbox, storedChannel } from './inbox.ts'
import { locks } from './lock.ts'
import { migratePostgres } from './migrate.ts'

/**
 * The rows of a batch, given only once the lock is held. `position` is drawn from its sequence after that, and the lock
 * is released after the commit has become visible: so positions become visible in their order across all replicas, and
 * a reader that goes on after the highest position it has seen never skips one. Batches cannot deadlock either.
 */
const input = `
  lock AS MATERIALIZED (SELECT ${locks.insert}),
  input AS MATERIALIZED (
    SELECT r.* FROM lock, ROWS FROM (json_to_recordset($1) AS (
      id uuid, form_type text, received_at timestamptz, content text,
      fingerprint text, content_until timestamptz, key_hash text, key_until timestamptz, expires_at timestamptz,
      communications_consent boolean, consent_timestamp text, client_address text, user_agent text, page_url text,
      path text, purpose text, terms_version text, wording_sha256 text, content_sha256 text, request_id text, seal text
    )) WITH ORDINALITY AS r
  )`

/** One statement is one transaction, so a batch costs one round trip. A row that meets a claim is left out whole. */
const insertLeads = {
  name: 'insert_leads',
  text: `
    WITH ${input},
    won AS (
      INSERT INTO recent_submissions
        (lead_id, form_type, received_at, fingerprint, content_until, key_hash, key_until, expires_at)
      SELECT id, form_type, received_at, fingerprint, content_until, key_hash, key_until, expires_at
      FROM input ORDER BY ordinality
      ON CONFLICT DO NOTHING
      RETURNING lead_id
    ),
    stored AS (
      INSERT INTO leads (id, form_type, received_at, content)
      SELECT id, form_type, received_at, content FROM input JOIN won ON lead_id = id ORDER BY ordinality
    ),
    consented AS (
      INSERT INTO consent_records
        (lead_id, communications_consent, consent_timestamp, received_at, client_address, user_agent, page_url,
         path, purpose, terms_version, wording_sha256, content_sha256, request_id, seal)
      SELECT id, communications_consent, consent_timestamp, received_at, client_address, user_agent, page_url,
        path, purpose, terms_version, wording_sha256, content_sha256, request_id, seal
      FROM input JOIN won ON lead_id = id
    ),
    notified AS MATERIALIZED (SELECT pg_notify('${storedChannel}', '') FROM won LIMIT 1)
    SELECT lead_id FROM won, notified`,
}

const findClaims = `
    SELECT lead_id, form_type, received_at, fingerprint, content_until, key_hash, key_until
    FROM recent_submissions
    WHERE lead_id = ANY ($1::uuid[])
      OR (key_hash = ANY ($2::text[]) AND key_hash IS NOT NULL)
      OR (fingerprint = ANY ($3::text[]) AND content_until IS NOT NULL)`

const releaseKeys = `
    WITH ${input}
    UPDATE recent_submissions s SET key_hash = NULL, key_until = NULL
    FROM input WHERE s.key_hash = input.key_hash AND s.key_until <= input.received_at`

const releaseContents = `
    WITH ${input}
    UPDATE recent_submissions s SET content_until = NULL
    FROM input
    WHERE s.fingerprint = input.fingerprint AND s.content_until IS NOT NULL AND s.content_until <= input.received_at`

/**
 * Finds a full disk, a read-only server and a standby that does not confirm, which a read would not. The first part inserts
 * nothing, but needs the lock and the rights that storing a lead needs: without it, the probe succeeds while `leads` is locked.
 */
const writeProbe = `
    WITH unlocked AS (INSERT INTO leads (id) SELECT NULL::uuid WHERE false)
    INSERT INTO write_probe (id, written_at) VALUES (1, now())
    ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at`

/** Rows that someone else holds are left to the next time. */
const pruneExpired = `
    DELETE FROM recent_submissions WHERE lead_id IN (
      SELECT lead_id FROM recent_submissions WHERE expires_at <= $1
      ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
    )`

interface ClaimRow {
  lead_id: string
  form_type: LeadKind
  received_at: Date
  fingerprint: string
  content_until: Date | null
  key_hash: string | null
  key_until: Date | null
}

function toClaim(row: ClaimRow): Claim {
  return {
    receipt: { id: row.lead_id, formType: row.form_type, receivedAt: row.received_at.toISOString() },
    fingerprint: row.fingerprint,
    contentUntil: row.content_until?.toISOString() ?? null,
    keyHash: row.key_hash,
    keyUntil: row.key_until?.toISOString() ?? null,
  }
}

/** Brings the schema up to date once; when that failed, with the next call. */
function createSchemaCheck(url: string): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= migratePostgres(url).catch((error: unknown) => {
      done = undefined
      throw error
    })
    return done
  }
}

/**
 * Brings the schema up to date and opens PostgreSQL 13 or later. A server that is away is asked again with each
 * statement, so that a service that starts meanwhile joins by itself. Rejects with a `StoreError` for what waiting will
 * not mend.
 */
export async function openPostgres(url: string): Promise<Backend> {
  const ready = createSchemaCheck(url)
  await ready().catch((error: unknown) => {
    if (!isTransient(error)) throw error
  })
  const writer = createPostgresConnection({ url, ready })
  // Checks and clearing up do not wait behind leads, nor leads behind them.
  const keeper = createPostgresConnection({ url, ready })
  const { inbox, close: closeInbox } = createPostgresInbox({ url, ready }, keeper)

  return {
    insert: async (leads) => {
      const { rows } = await writer.query<{ lead_id: string }>({ ...insertLeads, values: [encodeRows(leads)] })
      return new Set(rows.map(({ lead_id }) => lead_id))
    },
    find: async (leads) => {
      const keys = leads.flatMap(({ keyHash }) => keyHash ?? [])
      const values = [leads.map(({ id }) => id), keys, leads.map(({ fingerprint }) => fingerprint)]
      const { rows } = await writer.query<ClaimRow>({ text: findClaims, values })
      return rows.map(toClaim)
    },
    release: async (leads: readonly NewLead[]) => {
      const values = [encodeRows(leads)]
      await writer.query({ text: releaseKeys, values })
      await writer.query({ text: releaseContents, values })
    },
    probe: async () => {
      await keeper.query({ text: writeProbe })
    },
    prune: async (nowIso, limit) => {
      const { count } = await keeper.query({ text: pruneExpired, values: [nowIso, limit] })
      return count
    },
    inbox,
    close: async () => {
      await Promise.all([writer.close(), keeper.close(), closeInbox()])
    },
  }
}
