import type { Migration } from '../migrate.ts'
import { createTables } from '../schema.ts'

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
        evidence    TEXT NOT NULL,
        -- The contacts by which the lead is found; an erasure sets them to null.
        phone       TEXT,
        email       TEXT
      ) STRICT;
      CREATE INDEX leads_phone ON leads (phone) WHERE phone IS NOT NULL;
      CREATE INDEX leads_email ON leads (email) WHERE email IS NOT NULL;
      -- A listing of the rarer kind would read every lead otherwise.
      CREATE INDEX leads_support ON leads (kind) WHERE kind = 'support';

      ${createTables({
        id: 'TEXT',
        time: 'TEXT',
        number: 'INTEGER',
        token: 'TEXT',
        changes: 'position INTEGER PRIMARY KEY, id TEXT NOT NULL',
        end: ' STRICT',
      })}
      CREATE INDEX changes_support ON changes (kind) WHERE kind = 'support';
      ${keepRows(
        'leads',
        `NEW.personal IS NULL AND OLD.personal IS NOT NULL AND NEW.position = OLD.position AND NEW.id = OLD.id
          AND NEW.kind = OLD.kind AND NEW.received_at = OLD.received_at AND NEW.evidence = OLD.evidence
          AND NEW.phone IS NULL AND NEW.email IS NULL`,
      )}
      ${keepRows('changes')}
      ${keepRows('wordings')}
      ${keepRows('consent_seals')}
      ${keepRows('stops')}
    `,
  },
]
