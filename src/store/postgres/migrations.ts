import type { Migration } from '../migration.ts'

/** The schema of PostgreSQL, step by step. The tables are those of `sqlite.ts`. */
export const postgresMigrations: readonly Migration[] = [
  {
    version: 1,
    name: 'leads',
    sql: `
      -- position is the order in which leads became visible: see insertLeads in postgres.ts.
      CREATE TABLE leads (
        position      bigint GENERATED ALWAYS AS IDENTITY,
        id            uuid NOT NULL UNIQUE,
        form_type     text NOT NULL CHECK (form_type IN ('quote', 'support')),
        received_at   timestamptz NOT NULL,
        content       text,
        erased_at     timestamptz,
        erased_reason text,
        -- A listing by kind or time skips the leads that it does not want within this index.
        PRIMARY KEY (position) INCLUDE (form_type, received_at),
        CHECK ((content IS NULL) = (erased_at IS NOT NULL))
      );
      -- What retention has still to erase.
      CREATE INDEX leads_kept ON leads (received_at) WHERE erased_at IS NULL;

      CREATE TABLE consent_records (
        lead_id                uuid PRIMARY KEY,
        communications_consent boolean,
        consent_timestamp      text,
        received_at            timestamptz NOT NULL,
        client_address         text,
        user_agent             text,
        page_url               text,
        path                   text NOT NULL,
        purpose                text NOT NULL,
        terms_version          text NOT NULL,
        wording_sha256         text COLLATE "C" NOT NULL,
        content_sha256         text COLLATE "C" NOT NULL,
        request_id             text NOT NULL,
        seal                   text COLLATE "C"
      );

      CREATE FUNCTION keep_consent_record() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        erased consent_records;
      BEGIN
        IF TG_OP = 'UPDATE' THEN
          erased := OLD;
          erased.client_address := NULL;
          erased.user_agent := NULL;
          erased.page_url := NULL;
          IF NEW IS NOT DISTINCT FROM erased THEN
            RETURN NEW;
          END IF;
        END IF;
        RAISE EXCEPTION 'consent_records is append-only';
      END
      $$;
      CREATE TRIGGER keep_consent_record BEFORE UPDATE OR DELETE ON consent_records
        FOR EACH ROW EXECUTE FUNCTION keep_consent_record();
      CREATE TRIGGER keep_consent_records BEFORE TRUNCATE ON consent_records
        FOR EACH STATEMENT EXECUTE FUNCTION keep_consent_record();

      -- Idempotency record and duplicate check in one: a row claims its key and its content, or is not stored at all.
      CREATE TABLE recent_submissions (
        lead_id       uuid PRIMARY KEY,
        form_type     text NOT NULL,
        received_at   timestamptz NOT NULL,
        fingerprint   text COLLATE "C" NOT NULL,
        content_until timestamptz,
        key_hash      text COLLATE "C",
        key_until     timestamptz,
        expires_at    timestamptz NOT NULL,
        CHECK ((key_hash IS NULL) = (key_until IS NULL))
      );
      CREATE UNIQUE INDEX recent_submissions_key ON recent_submissions (key_hash) WHERE key_hash IS NOT NULL;
      CREATE UNIQUE INDEX recent_submissions_content ON recent_submissions (fingerprint)
        WHERE content_until IS NOT NULL;
      CREATE INDEX recent_submissions_expiry ON recent_submissions (expires_at);

      -- One row that readiness checks write.
      CREATE TABLE write_probe (
        id         smallint PRIMARY KEY CHECK (id = 1),
        written_at timestamptz NOT NULL
      );
    `,
  },
]
