CREATE TABLE IF NOT EXISTS leads (
  position    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id          uuid NOT NULL UNIQUE,
  received_at timestamptz NOT NULL,
  phone       text NOT NULL,
  email       text NOT NULL,
  personal    text,
  evidence    text NOT NULL
);
CREATE INDEX IF NOT EXISTS leads_phone ON leads (phone);
CREATE INDEX IF NOT EXISTS leads_email ON leads (email);
CREATE TABLE IF NOT EXISTS claims (
  key         text PRIMARY KEY,
  lead_id     uuid NOT NULL,
  received_at timestamptz NOT NULL,
  ends_at     timestamptz NOT NULL
)
