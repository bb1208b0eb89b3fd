import { StoreError } from './database.ts'

/** The columns in which the two databases differ, and what follows the columns of a table. */
type Differences = Record<'id' | 'time' | 'token' | 'position' | 'changes' | 'end' | 'endOfLeads', string>

/**
 * The tables of both databases, frozen with migration 1. Booleans are 0 or 1. `id` is a UUID or a hash of 32 hexadecimal
 * digits, `token` a text of ASCII compared byte by byte, and `changes` the columns `position` and `id` of a change.
 */
export function createTables({ id, time, token, position, changes, end, endOfLeads }: Differences): string {
  return `
      -- Leads and changes share one sequence of positions, in which no number is used twice.
      CREATE TABLE leads (
        position    ${position},
        id          ${id} NOT NULL UNIQUE,
        kind        TEXT NOT NULL CHECK (kind IN ('quote', 'support')),
        received_at ${time} NOT NULL,
        -- JSON of the personal part; an erasure sets it to null.
        personal    TEXT,
        -- JSON of all the rest, with the SHA-256 of personal.
        evidence    TEXT NOT NULL,
        -- The contacts by which the lead is found; an erasure sets them to null.
        phone       ${token},
        email       ${token}
      )${endOfLeads};
      CREATE INDEX leads_phone ON leads (phone, position) WHERE phone IS NOT NULL;
      CREATE INDEX leads_email ON leads (email, position) WHERE email IS NOT NULL;
      -- Without it, a listing of the rarer kind would read every lead.
      CREATE INDEX leads_support ON leads (position) WHERE kind = 'support';

      CREATE TABLE changes (
        -- The id distinguishes this change from one that a restored database has at the same position.
        ${changes},
        lead_id    ${id} NOT NULL,
        -- The lead's kind, so that a stream of one kind need not look up the other leads.
        kind       TEXT NOT NULL,
        what       TEXT NOT NULL CHECK (what IN ('erased', 'opted_out')),
        at         ${time} NOT NULL,
        reason     TEXT NOT NULL,
        caller     TEXT,
        -- The opt-out that the lead shows from then on. Null: none.
        opted_out_at ${time}
      )${end};
      CREATE UNIQUE INDEX changes_erased ON changes (lead_id) WHERE what = 'erased';
      CREATE INDEX changes_lead ON changes (lead_id, opted_out_at);
      CREATE INDEX changes_support ON changes (position) WHERE kind = 'support';

      -- Idempotency-Keys and contents in use, one row each.
      CREATE TABLE claims (
        key         ${id} NOT NULL PRIMARY KEY,
        lead_id     ${id} NOT NULL,
        received_at ${time} NOT NULL,
        ends_at     ${time} NOT NULL,
        content     ${id} NOT NULL
      )${end};
      CREATE INDEX claims_lead ON claims (lead_id);
      CREATE INDEX claims_end ON claims (ends_at);

      -- Every text that evidence names by its hash.
      CREATE TABLE wordings (
        sha256  ${token} NOT NULL PRIMARY KEY,
        text    TEXT NOT NULL,
        -- The version of a consent wording. Empty for other texts.
        version ${token} NOT NULL,
        -- When the service first started with it on this database.
        since   ${time} NOT NULL
      )${end};

      -- The do-not-contact list, by phone number or e-mail address. It survives erasures.
      CREATE TABLE opt_outs (
        id          ${id} NOT NULL PRIMARY KEY,
        contact     ${token} NOT NULL,
        recorded_at ${time} NOT NULL,
        name        TEXT,
        channels    TEXT NOT NULL,
        said_at     ${time} NOT NULL,
        how         TEXT NOT NULL,
        caller      TEXT
      )${end};
      CREATE INDEX opt_outs_contact ON opt_outs (contact, recorded_at);
      CREATE INDEX opt_outs_order ON opt_outs (recorded_at, contact, id);

      -- One row that readiness checks write.
      CREATE TABLE write_probe (
        id         INTEGER PRIMARY KEY CHECK (id = 1),
        written_at ${time} NOT NULL
      )${end};`
}

/** Whether an update of `leads` erases personal data: the only one that is allowed. Frozen with migration 1. */
export const isErasure = `NEW.personal IS NULL AND OLD.personal IS NOT NULL AND NEW.position = OLD.position
          AND NEW.id = OLD.id AND NEW.kind = OLD.kind AND NEW.received_at = OLD.received_at
          AND NEW.evidence = OLD.evidence AND NEW.phone IS NULL AND NEW.email IS NULL`

/**
 * Leads to the version that is its place in the list, from 1. Released migrations never change. The previous release
 * must work on the tables, while this one runs and after.
 */
export type Migration = Record<'name' | 'sql', string>

type Session = Record<'exec' | 'read', (sql: string) => Promise<unknown>>

const createMigrationsTable = `CREATE TABLE IF NOT EXISTS schema_migrations (
    version    integer PRIMARY KEY,
    name       text NOT NULL,
    applied_at text NOT NULL DEFAULT CURRENT_TIMESTAMP
  )`

/** The version of the newest migration, even if a newer program made it. */
export async function readVersion(session: Pick<Session, 'read'>): Promise<number> {
  const rows = await session.read('SELECT max(version) AS version FROM schema_migrations')
  return Number((rows as { version?: number }[])[0]?.version ?? 0)
}

/** The error of a failed opening, or one that names the newer release whose schema this program cannot use. */
export async function explainNewer(error: unknown, session: Pick<Session, 'read'>, migrations: readonly Migration[]) {
  const version = await readVersion(session).catch(() => 0)
  if (version <= migrations.length) return error
  const { message } = error as Error
  return new StoreError('newer', false, `a newer release has changed it to schema ${version} (${message})`)
}

/** Works in one transaction, which `begin` opens. If none is missing, it only reads, without DDL rights. */
export async function runMigrations(session: Session, migrations: readonly Migration[], begin: string) {
  // A new database has no such table. What PostgreSQL refuses to read has a cause that CREATE would not name.
  const applied = await readVersion(session).catch((error: { code?: string }) =>
    error.code === '42501' ? Promise.reject(error) : 0,
  )
  if (applied >= migrations.length) return
  await session.exec(begin)
  await session.exec(createMigrationsTable)
  let version = await readVersion(session)
  for (const { name, sql } of migrations.slice(version)) {
    version++
    await session.exec(sql)
    await session.exec(`INSERT INTO schema_migrations (version, name) VALUES (${version}, '${name}')`)
  }
  await session.exec('COMMIT')
}
