import type { Migration } from '../migrate.ts'

/**
 * Creates triggers that reject updates and deletions of a table's rows. `except` is the one allowed update.
 */
function keepRows(table: string, except?: string): string {
  const refuse = `BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;`
  return `
      CREATE TRIGGER keep_${table} BEFORE UPDATE ON ${table} ${except ? `WHEN NOT coalesce(${except}, 0)` : ''} ${refuse}
      CREATE TRIGGER keep_${table}_from_delete BEFORE DELETE ON ${table} ${refuse}`
}

/**
 * The migrations for SQLite. The tables match those for PostgreSQL. Times are text in the format of a receipt, which
 * sorts by time; hashes are text too.
 */
export const sqliteMigrations: readonly Migration[] = [
  {
    version: 1,
    name: 'leads',
    sql: `
      -- One order for leads and for what happens to them: one writer at a time, and no number twice. The changes draw
      -- their numbers from this table's sequence.
      CREATE TABLE leads (
        position    INTEGER PRIMARY KEY AUTOINCREMENT,
        id          TEXT NOT NULL UNIQUE,
        kind        TEXT NOT NULL CHECK (kind IN ('quote', 'support')),
        received_at TEXT NOT NULL,
        -- JSON of the personal part; an erasure sets it to null.
        personal    TEXT,
        -- JSON of all the rest, with the SHA-256 of personal.
        evidence    TEXT NOT NULL
      ) STRICT;
      -- A listing of the rarer kind would read every lead otherwise.
      CREATE INDEX leads_support ON leads (kind) WHERE kind = 'support';

      CREATE TABLE changes (
        position  INTEGER PRIMARY KEY,
        -- Tells this change from one that a restored database has put in the same place.
        id        TEXT NOT NULL,
        lead_id   TEXT NOT NULL,
        -- That of the lead, so that a follower of one kind need not look the other leads up.
        kind      TEXT NOT NULL,
        what      TEXT NOT NULL CHECK (what IN ('erased', 'stopped')),
        at        TEXT NOT NULL,
        reason    TEXT NOT NULL,
        caller    TEXT,
        -- Of an erasure: whether a stop was recorded with it.
        with_stop INTEGER NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX changes_erased ON changes (lead_id) WHERE what = 'erased';
      CREATE UNIQUE INDEX changes_lead ON changes (lead_id, what, at);
      CREATE INDEX changes_support ON changes (kind) WHERE kind = 'support';

      -- Idempotency-Keys and contents in use: a row for each content, and a row for each key.
      CREATE TABLE claims (
        key         TEXT NOT NULL PRIMARY KEY,
        lead_id     TEXT NOT NULL,
        received_at TEXT NOT NULL,
        ends_at     TEXT NOT NULL,
        content     TEXT NOT NULL
      ) STRICT;
      CREATE INDEX claims_lead ON claims (lead_id);
      CREATE INDEX claims_end ON claims (ends_at);

      -- Every text that evidence names by its hash.
      CREATE TABLE wordings (
        sha256 TEXT NOT NULL PRIMARY KEY,
        text   TEXT NOT NULL
      ) STRICT;

      -- Wishes not to be contacted, by a keyed hash of the phone number or e-mail address.
      CREATE TABLE stops (
        contact_hash TEXT NOT NULL,
        recorded_at  TEXT NOT NULL,
        -- Which STOP_KEY has hashed it.
        key_id       TEXT NOT NULL,
        channels     TEXT NOT NULL,
        said_at      TEXT NOT NULL,
        how          TEXT NOT NULL,
        caller       TEXT,
        -- Whether the earlier leads of this person have been marked.
        marked       INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (contact_hash, recorded_at)
      ) STRICT;
      CREATE INDEX stops_unmarked ON stops (recorded_at) WHERE marked = 0;

      -- The chain over the evidence: a row for each segment of the feed.
      CREATE TABLE consent_seals (
        segment        INTEGER PRIMARY KEY,
        first_position INTEGER NOT NULL,
        last_position  INTEGER NOT NULL,
        entries        INTEGER NOT NULL,
        key_id         TEXT,
        seal           TEXT NOT NULL,
        sealed_at      TEXT NOT NULL
      ) STRICT;

      -- One row that readiness checks write.
      CREATE TABLE write_probe (
        id         INTEGER PRIMARY KEY CHECK (id = 1),
        written_at TEXT NOT NULL
      ) STRICT;
      ${keepRows(
        'leads',
        `NEW.personal IS NULL AND OLD.personal IS NOT NULL AND NEW.position = OLD.position AND NEW.id = OLD.id
          AND NEW.kind = OLD.kind AND NEW.received_at = OLD.received_at AND NEW.evidence = OLD.evidence`,
      )}
      ${keepRows('changes')}
      ${keepRows('wordings')}
      ${keepRows('consent_seals')}
      ${keepRows(
        'stops',
        `NEW.marked AND NEW.contact_hash = OLD.contact_hash AND NEW.recorded_at = OLD.recorded_at
          AND NEW.key_id = OLD.key_id AND NEW.channels = OLD.channels AND NEW.said_at = OLD.said_at AND NEW.how = OLD.how
          AND NEW.caller IS OLD.caller`,
      )}
    `,
  },
]
