import type { DatabaseSync } from 'node:sqlite'
import { pendingMigrations } from '../migration.ts'
import { prepareErasure } from './erasure.ts'
import { inTransaction, openFile } from './file.ts'
import type { SqliteAnswers, SqliteCalls, SqliteClaimRow } from './messages.ts'
import { sqliteMigrations } from './migrations.ts'

/** The rows of a batch in the binary form, without which each member would cost a parse of the whole row (measured). */
const input = `WITH input AS MATERIALIZED (SELECT key AS ordinal, jsonb(value) AS row FROM json_each(?1))`

/** Members of a row, by the name of their column. */
function members(...columns: string[]): string {
  return columns.map((column) => `row ->> '${column}'`).join(', ')
}

const claimColumns = ['form_type', 'received_at', 'fingerprint', 'content_until', 'key_hash', 'key_until', 'expires_at']
const leadColumns = ['form_type', 'received_at', 'content']
const consentColumns = [
  'communications_consent',
  'consent_timestamp',
  'received_at',
  'client_address',
  'user_agent',
  'page_url',
  'path',
  'purpose',
  'terms_version',
  'wording_sha256',
  'content_sha256',
  'request_id',
  'seal',
]

/** A row that meets a claim is left out. */
const insertClaims = `
  ${input}
  INSERT INTO recent_submissions (lead_id, ${claimColumns.join(', ')})
  SELECT ${members('id', ...claimColumns)} FROM input WHERE true ORDER BY ordinal
  ON CONFLICT DO NOTHING
  RETURNING lead_id`

/** Those of the rows that `insertClaims` took. */
const won = `row ->> 'id' IN (SELECT value FROM json_each(?2))`

const insertLeads = `
  ${input}
  INSERT INTO leads (id, ${leadColumns.join(', ')})
  SELECT ${members('id', ...leadColumns)} FROM input WHERE ${won} ORDER BY ordinal`

const insertConsentRecords = `
  ${input}
  INSERT INTO consent_records (lead_id, ${consentColumns.join(', ')})
  SELECT ${members('id', ...consentColumns)} FROM input WHERE ${won}`

const findClaims = `
  SELECT lead_id, form_type, received_at, fingerprint, content_until, key_hash, key_until FROM recent_submissions
  WHERE lead_id IN (SELECT value FROM json_each(?1))
    OR key_hash IN (SELECT value FROM json_each(?2))
    OR (fingerprint IN (SELECT value FROM json_each(?3)) AND content_until IS NOT NULL)`

const releaseKeys = `
  ${input}
  UPDATE recent_submissions SET key_hash = NULL, key_until = NULL
  FROM input WHERE key_hash = row ->> 'key_hash' AND key_until <= row ->> 'received_at'`

const releaseContents = `
  ${input}
  UPDATE recent_submissions SET content_until = NULL
  FROM input
  WHERE fingerprint = row ->> 'fingerprint' AND content_until IS NOT NULL AND content_until <= row ->> 'received_at'`

/** The ballast changes each time, for pages that stay the same are not written. */
const writeProbe = `
  INSERT INTO write_probe (id, written_at, ballast) VALUES (1, ?1, randomblob(65536))
  ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at, ballast = excluded.ballast`

const pruneExpired = `
  DELETE FROM recent_submissions WHERE lead_id IN (
    SELECT lead_id FROM recent_submissions WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2
  )`

/** In one transaction: of several processes that start at once, one does it and the others wait. */
function migrateDatabase(database: DatabaseSync) {
  inTransaction(database, () => {
    database.exec(`
      CREATE TABLE IF NOT EXISTS schema_migrations (
        version    INTEGER PRIMARY KEY,
        name       TEXT NOT NULL,
        applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
      ) STRICT
    `)
    const applied = database.prepare('SELECT version FROM schema_migrations').all() as { version: number }[]
    const record = database.prepare('INSERT INTO schema_migrations (version, name) VALUES (?, ?)')
    for (const { version, name, sql } of pendingMigrations(sqliteMigrations, new Set(applied.map((a) => a.version)))) {
      database.exec(sql)
      record.run(version, name)
    }
  })
}

/** Opens the database, brings its schema up to date and prepares what is asked of it. Throws what `node:sqlite` throws. */
export function openDatabase(path: string): SqliteAnswers<SqliteCalls> {
  const database = openFile(path)
  migrateDatabase(database)
  const claims = database.prepare(insertClaims)
  const leads = database.prepare(insertLeads)
  const consentRecords = database.prepare(insertConsentRecords)
  const found = database.prepare(findClaims)
  const keys = database.prepare(releaseKeys)
  const contents = database.prepare(releaseContents)
  const probe = database.prepare(writeProbe)
  const expired = database.prepare(pruneExpired)
  const erasure = prepareErasure(database)

  return {
    insert: (rows) =>
      inTransaction(database, () => {
        const ids = claims.all(rows).map(({ lead_id }) => String(lead_id))
        if (ids.length > 0) {
          leads.run(rows, JSON.stringify(ids))
          consentRecords.run(rows, JSON.stringify(ids))
        }
        return ids
      }),
    find: (...values) => found.all(...values).map((row) => ({ ...row }) as unknown as SqliteClaimRow),
    release: (rows) =>
      inTransaction(database, () => {
        keys.run(rows)
        contents.run(rows)
        return null
      }),
    probe: (nowIso) => {
      probe.run(nowIso)
      return null
    },
    prune: (nowIso, limit) => Number(expired.run(nowIso, limit).changes),
    ...erasure,
    close: () => {
      database.close()
      return null
    },
  }
}
