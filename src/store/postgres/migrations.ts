import { createTables, isErasure, type Migration } from '../schema.ts'
import { locks } from './connection.ts'

/** Creates triggers that reject `commands`, and TRUNCATE, on a table. */
function keepRows(table: string, commands: string): string {
  return `
      CREATE TRIGGER keep_row BEFORE ${commands} ON ${table} FOR EACH ROW EXECUTE FUNCTION keep_row();
      CREATE TRIGGER keep_rows BEFORE TRUNCATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION keep_row();`
}

export const postgresMigrations: readonly Migration[] = [
  {
    name: 'leads',
    sql: `
      -- The order in which entries become visible: the transaction that draws a number holds the lock of the feed.
      CREATE SEQUENCE feed_position AS bigint;

      ${createTables({
        id: 'uuid',
        time: 'timestamptz',
        token: 'text COLLATE "C"',
        position: `bigint PRIMARY KEY DEFAULT nextval('feed_position')`,
        changes: `position bigint PRIMARY KEY DEFAULT nextval('feed_position'),
        id uuid NOT NULL DEFAULT gen_random_uuid()`,
        end: '',
        // Vacuums each erasure within minutes, however large the table is.
        endOfLeads: ' WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 0)',
      })}
      -- An erasure would leave texts of customers in pg_statistic.
      ALTER TABLE leads ALTER personal SET STATISTICS 0, ALTER evidence SET STATISTICS 0,
        ALTER phone SET STATISTICS 0, ALTER email SET STATISTICS 0;

      CREATE FUNCTION keep_row() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
      END
      $$;
      CREATE FUNCTION keep_lead() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF ${isErasure} THEN
          RETURN NEW;
        END IF;
        RAISE EXCEPTION 'leads is append-only';
      END
      $$;
      CREATE TRIGGER keep_lead BEFORE UPDATE ON leads FOR EACH ROW EXECUTE FUNCTION keep_lead();
      ${keepRows('leads', 'DELETE')}
      ${['changes', 'wordings', 'opt_outs'].map((table) => keepRows(table, 'UPDATE OR DELETE')).join('')}

      -- Stores the leads of a batch whose claims are free, each with its claims, and returns their ids. No two of the
      -- leads have a claim in common. Without sequential scans, since the plans are kept while the tables grow.
      CREATE FUNCTION store_leads(
        ids uuid[], kinds text[], times timestamptz[], personals text[], evidences text[], phones text[], emails text[],
        keys uuid[], claimants uuid[], claim_times timestamptz[], ends timestamptz[], contents uuid[]
      ) RETURNS SETOF uuid LANGUAGE plpgsql SET enable_seqscan = off AS $$
      DECLARE
        losers uuid[] := '{}';
      BEGIN
        -- Statements after this one see what every batch before this one has committed, and no other batch adds a claim
        -- before this one is committed. So plain inserts suffice.
        PERFORM ${locks.feed};
        IF EXISTS (SELECT FROM claims WHERE key = ANY (keys)) THEN
          losers := ARRAY(
            SELECT wanted.lead FROM unnest(keys, claimants, claim_times) AS wanted (key, lead, at)
            JOIN claims ON claims.key = wanted.key AND claims.ends_at > wanted.at
          );
          -- Claims that had expired when the new lead was received are taken over.
          DELETE FROM claims USING unnest(keys, claimants) AS wanted (key, lead)
          WHERE claims.key = wanted.key AND wanted.lead <> ALL (losers);
        END IF;
        INSERT INTO claims (key, lead_id, received_at, ends_at, content)
        SELECT * FROM (
          SELECT unnest(keys), unnest(claimants) AS lead, unnest(claim_times), unnest(ends), unnest(contents)
        ) claim WHERE lead <> ALL (losers);
        RETURN QUERY
        INSERT INTO leads (id, kind, received_at, personal, evidence, phone, email)
        SELECT * FROM (
          SELECT unnest(ids) AS lead, unnest(kinds), unnest(times), unnest(personals), unnest(evidences), unnest(phones),
            unnest(emails)
        ) batch WHERE lead <> ALL (losers)
        RETURNING id;
        IF FOUND THEN
          PERFORM pg_notify('leads', '');
        END IF;
      END
      $$;
    `,
  },
]
