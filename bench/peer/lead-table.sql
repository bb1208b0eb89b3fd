CREATE TABLE IF NOT EXISTS leads (
  id                     uuid PRIMARY KEY,
  received_at            timestamptz NOT NULL,
  form_type              text NOT NULL,
  name                   text NOT NULL,
  phone                  text NOT NULL,
  email                  text NOT NULL,
  bedrooms               text NOT NULL,
  bathrooms              text NOT NULL,
  service                text NOT NULL,
  notes                  text NOT NULL,
  communications_consent boolean NOT NULL,
  consent_timestamp      timestamptz,
  page_url               text
)
