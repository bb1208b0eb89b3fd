import type { DatabaseSync } from 'node:sqlite'
import type { NewLead } from '../../lead/submission.ts'
import type { Claim, Obstacles } from '../claims.ts'
import { pendingMigrations } from '../migration.ts'
import type { Wording } from '../wording.ts'
import { prepareErasure } from './erasure.ts'
import { prepareSealing } from './evidence-queries.ts'
import { emptyLog, inTransaction, openFile } from './file.ts'
import { createMigrationsTable, sqliteMigrations } from './migrations.ts'
import { prepareStops } from './stops.ts'

const isClaimed = 'SELECT 1 FROM claims WHERE key = ? AND ends_at > ?'

/** Takes over a claim that had expired when the new lead was received. */
const claim = `
  INSERT INTO claims (key, lead_id, received_at, ends_at, content) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET lead_id = excluded.lead_id, received_at = excluded.received_at,
    ends_at = excluded.ends_at, content = excluded.content
  WHERE claims.ends_at <= excluded.received_at`

const isStored = 'SELECT 1 FROM leads WHERE id = ?'

const insertLead = 'INSERT INTO leads (id, kind, received_at, personal, evidence) VALUES (?, ?, ?, ?, ?)'

const findClaims = `
  SELECT key, lead_id AS leadId, received_at AS receivedAt, ends_at AS endsAt, content
  FROM claims WHERE key IN (SELECT value FROM json_each(?))`

const findStored = 'SELECT id FROM leads WHERE id IN (SELECT value FROM json_each(?))'

const writeProbe = `
  INSERT INTO write_probe (id, written_at) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at`

const pruneExpired = `
  DELETE FROM claims WHERE key IN (SELECT key FROM claims WHERE ends_at <= ?1 ORDER BY ends_at LIMIT ?2)`

const insertWording = `
  INSERT INTO wordings (sha256, text)
  SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM wordings WHERE sha256 = ?1)`

/** Runs in one transaction: when several processes start at once, one migrates and the others wait. */
function migrateDatabase(database: DatabaseSync) {
  inTransaction(database, () => {
    database.exec(createMigrationsTable)
    const applied = database.prepare('SELECT version FROM schema_migrations').all() as { version: number }[]
    const record = database.prepare('INSERT INTO schema_migrations (version, name) VALUES (?, ?)')
    for (const { version, name, sql } of pendingMigrations(sqliteMigrations, new Set(applied.map((a) => a.version)))) {
      database.exec(sql)
      record.run(version, name)
    }
  })
}

/** Inserts the texts that are not recorded yet. */
function recordWordings(database: DatabaseSync, wordings: readonly Wording[]) {
  const wording = database.prepare(insertWording)
  inTransaction(database, () => {
    for (const { sha256, text } of wordings) wording.run(sha256, text)
  })
}

/** The calls that the writer thread answers. */
export type SqliteWriter = ReturnType<typeof openDatabase>

/**
 * Opens the database, runs the migrations, records the wordings and prepares the statements. Throws what `node:sqlite`
 * throws.
 */
export function openDatabase(path: string, wordings: readonly Wording[]) {
  const database = openFile(path)
  migrateDatabase(database)
  recordWordings(database, wordings)
  const claimed = database.prepare(isClaimed)
  const claims = database.prepare(claim)
  const stored = database.prepare(isStored)
  const leads = database.prepare(insertLead)
  const found = database.prepare(findClaims)
  const foundStored = database.prepare(findStored)
  const probe = database.prepare(writeProbe)
  const expired = database.prepare(pruneExpired)

  /** Inserts the lead and its claims. Returns false, and writes nothing, when its key or content is claimed. */
  function insert({ id, kind, receivedAt, personal, evidence, ...claiming }: NewLead): boolean {
    const { contentHash, contentUntil, keyHash, keyUntil } = claiming
    if (keyHash !== null && claimed.get(keyHash, receivedAt) !== undefined) return false
    if (stored.get(id) !== undefined) return false
    if (contentUntil !== null) {
      const { changes } = claims.run(contentHash, id, receivedAt, contentUntil, contentHash)
      if (changes === 0) return false
    }
    leads.run(id, kind, receivedAt, personal, evidence)
    if (keyHash !== null) claims.run(keyHash, id, receivedAt, keyUntil, contentHash)
    return true
  }

  return {
    /** Returns the ids of the inserted leads. */
    insert: (batch: readonly NewLead[]): string[] =>
      inTransaction(database, () => batch.filter(insert).map(({ id }) => id)),
    find: (ids: string[], keys: string[]): Obstacles => ({
      stored: new Set(foundStored.all(JSON.stringify(ids)).map(({ id }) => String(id))),
      claims: found.all(JSON.stringify(keys)).map((row) => ({ ...row }) as unknown as Claim),
    }),
    probe: (nowIso: string) => void probe.run(nowIso),
    prune: (nowIso: string, limit: number): number => Number(expired.run(nowIso, limit).changes),
    ...prepareErasure(database),
    ...prepareStops(database),
    ...prepareSealing(database),
    /** Called after the disk was full. */
    makeRoom: () => emptyLog(database),
    close: () => database.close(),
  }
}
