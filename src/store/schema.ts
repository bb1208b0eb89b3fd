/** What differs between the columns of the two databases. */
export interface ColumnTypes {
  /** A UUID or a hash of 32 hexadecimal digits. */
  id: string
  time: string
  /** A position or a count. */
  number: string
  /** A text of ASCII that is compared byte by byte. */
  token: string
  /** The columns `position` and `id` of a change. */
  changes: string
  /** What follows the columns. */
  end: string
}

/** The tables that both databases have, except `leads`. Booleans are 0 or 1. */
export function createTables({ id, time, number, token, changes, end }: ColumnTypes): string {
  return `
      CREATE TABLE changes (
        -- The id tells this change from one that a restored database has put in the same place.
        ${changes},
        lead_id    ${id} NOT NULL,
        -- That of the lead, so that a follower of one kind need not look the other leads up.
        kind       TEXT NOT NULL,
        what       TEXT NOT NULL CHECK (what IN ('erased', 'stopped')),
        at         ${time} NOT NULL,
        reason     TEXT NOT NULL,
        caller     TEXT,
        -- The stop that the lead shows from then on. Null: none.
        stopped_at ${time}
      )${end};
      CREATE UNIQUE INDEX changes_erased ON changes (lead_id) WHERE what = 'erased';
      CREATE INDEX changes_lead ON changes (lead_id, stopped_at);

      -- Idempotency-Keys and contents in use: a row for each content, and a row for each key.
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
        -- Of a consent wording. Empty: another text.
        version ${token} NOT NULL,
        -- When the service first started with it on this database.
        since   ${time} NOT NULL
      )${end};

      -- Wishes not to be contacted, by a keyed hash of the phone number or e-mail address.
      CREATE TABLE stops (
        contact_hash ${token} NOT NULL,
        recorded_at  ${time} NOT NULL,
        -- Which STOP_KEY has hashed it.
        key_id       ${token} NOT NULL,
        channels     TEXT NOT NULL,
        said_at      ${time} NOT NULL,
        how          TEXT NOT NULL,
        caller       TEXT,
        PRIMARY KEY (contact_hash, recorded_at)
      )${end};

      -- The chain over the evidence: a row for each segment of the feed.
      CREATE TABLE consent_seals (
        segment        ${number} PRIMARY KEY,
        first_position ${number} NOT NULL,
        last_position  ${number} NOT NULL,
        entries        ${number} NOT NULL,
        key_id         TEXT,
        seal           ${token} NOT NULL,
        sealed_at      ${time} NOT NULL
      )${end};

      -- One row that readiness checks write.
      CREATE TABLE write_probe (
        id         INTEGER PRIMARY KEY CHECK (id = 1),
        written_at ${time} NOT NULL
      )${end};`
}
