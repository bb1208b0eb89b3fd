import type { Migration } from '../migration.ts'

/**
 * The schema of SQLite, step by step. The tables are those of `postgres.ts`; times are text as in a receipt, so their
 * order is that of the text.
 */
export const sqliteMigrations: readonly Migration[] = [
  {
    version: 1,
    name: 'leads',
    sql: `
      -- position is the order in which leads became visible: one writer at a time, and no number twice.
      CREATE TABLE leads (
        position      INTEGER PRIMARY KEY AUTOINCREMENT,
        id            TEXT NOT NULL UNIQUE,
        form_type     TEXT NOT NULL CHECK (form_type IN ('quote', 'support')),
        received_at   TEXT NOT NULL,
        content       TEXT,
        erased_at     TEXT,
        erased_reason TEXT,
        CHECK ((content IS NULL) = (erased_at IS NOT NULL))
      ) STRICT;
      -- What retention has still to erase.
      CREATE INDEX leads_kept ON leads (received_at) WHERE erased_at IS NULL;

      CREATE TABLE consent_records (
        lead_id                TEXT NOT NULL PRIMARY KEY,
        communications_consent INTEGER,
        consent_timestamp      TEXT,
        received_at            TEXT NOT NULL,
        client_address         TEXT,
        user_agent             TEXT,
        page_url               TEXT,
        path                   TEXT NOT NULL,
        purpose                TEXT NOT NULL,
        terms_version          TEXT NOT NULL,
        wording_sha256         TEXT NOT NULL,
        content_sha256         TEXT NOT NULL,
        request_id             TEXT NOT NULL,
        seal                   TEXT
      ) STRICT;

      CREATE TRIGGER keep_consent_record BEFORE UPDATE ON consent_records
        WHEN NEW.client_address IS NOT NULL OR NEW.user_agent IS NOT NULL OR NEW.page_url IS NOT NULL
          OR NEW.rowid IS NOT OLD.rowid
          OR NEW.lead_id IS NOT OLD.lead_id
          OR NEW.communications_consent IS NOT OLD.communications_consent
          OR NEW.consent_timestamp IS NOT OLD.consent_timestamp
          OR NEW.received_at IS NOT OLD.received_at
          OR NEW.path IS NOT OLD.path
          OR NEW.purpose IS NOT OLD.purpose
          OR NEW.terms_version IS NOT OLD.terms_version
          OR NEW.wording_sha256 IS NOT OLD.wording_sha256
          OR NEW.content_sha256 IS NOT OLD.content_sha256
          OR NEW.request_id IS NOT OLD.request_id
          OR NEW.seal IS NOT OLD.seal
        BEGIN SELECT RAISE(ABORT, 'consent_records is append-only'); END;
      CREATE TRIGGER keep_consent_record_from_delete BEFORE DELETE ON consent_records
        BEGIN SELECT RAISE(ABORT, 'consent_records is append-only'); END;
      -- INSERT OR REPLACE deletes without a delete trigger.
      CREATE TRIGGER keep_consent_record_from_replace BEFORE INSERT ON consent_records
        WHEN EXISTS (SELECT 1 FROM consent_records WHERE lead_id = NEW.lead_id)
        BEGIN SELECT RAISE(ABORT, 'consent_records is append-only'); END;

      -- Idempotency record and duplicate check in one: a row claims its key and its content, or is not stored at all.
      CREATE TABLE recent_submissions (
        lead_id       TEXT NOT NULL PRIMARY KEY,
        form_type     TEXT NOT NULL,
        received_at   TEXT NOT NULL,
        fingerprint   TEXT NOT NULL,
        content_until TEXT,
        key_hash      TEXT,
        key_until     TEXT,
        expires_at    TEXT NOT NULL,
        CHECK ((key_hash IS NULL) = (key_until IS NULL))
      ) STRICT;
      CREATE UNIQUE INDEX recent_submissions_key ON recent_submissions (key_hash) WHERE key_hash IS NOT NULL;
      CREATE UNIQUE INDEX recent_submissions_content ON recent_submissions (fingerprint)
        WHERE content_until IS NOT NULL;
      CREATE INDEX recent_submissions_expiry ON recent_submissions (expires_at);

      -- One row that readiness checks write. The ballast is as large as what the largest lead writes.
      CREATE TABLE write_probe (
        id         INTEGER PRIMARY KEY CHECK (id = 1),
        written_at TEXT NOT NULL,
        ballast    BLOB NOT NULL
      ) STRICT;
    `,
  },
]
