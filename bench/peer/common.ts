// What the peers share: the rules of a quote, and the row and the receipt that they make of it.
import { randomUUIDv7 } from 'node:crypto'
import pg from 'pg'

/** A setting that the runner passes to every server. */
export const setting = (name: string): string => process.env[name] as string

/** The loopback ports for HTTP/1.1 and for cleartext HTTP/2. */
export const port = Number(setting('PORT'))
export const internalPort = Number(setting('INTERNAL_PORT'))

/** A validated quote request, as specified by the API. */
export type Quote = Record<'name' | 'phone' | 'email' | 'bedrooms' | 'bathrooms' | 'service' | 'notes', string> &
  Partial<Record<'consentTimestamp' | 'pageUrl', string>> & { communicationsConsent: true }

/** The patterns of the structured fields, from the service's proto file. */
export const patterns = {
  phone: /^(?:\+?1)?[0-9]{10}$/,
  email: /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-zA-Z0-9-]{1,63}(?:\.[a-zA-Z0-9-]{1,63})+$/,
  count: /^[1-9]?[0-9](?:\.5)?\+?$/,
  utcDateTime: /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:[Zz]|[+-]00:00)$/,
  url: /^https?:\/\/[^\s]+$/,
}

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength })
const form = (pattern: RegExp, maxLength = 254) => ({ type: 'string', pattern: pattern.source, maxLength })

const required = {
  name: text(200),
  phone: form(patterns.phone),
  email: form(patterns.email),
  bedrooms: form(patterns.count),
  bathrooms: form(patterns.count),
  service: text(100),
  notes: text(5_000),
  communicationsConsent: { const: true },
}
const optional = { consentTimestamp: form(patterns.utcDateTime), pageUrl: form(patterns.url, 2_048) }
/** The same rules for ajv, Fastify's validator. */
export const quoteSchema = {
  type: 'object',
  additionalProperties: false,
  required: Object.keys(required),
  properties: { ...required, ...optional } satisfies Record<keyof Quote, object>,
}

export const receiptSchema = {
  type: 'object',
  properties: { id: { type: 'string' }, formType: { type: 'string' }, receivedAt: { type: 'string' } },
}

/** The maximum size of a body, in bytes. */
export const bodyMaxBytes = 20_000

/** The requests per client and window, and the window's length. */
export const policy = { limit: 10, windowSeconds: 60 }

/** The answer to a submission. */
export type Receipt = ReturnType<typeof createLead>['receipt']

/** Creates the receipt of a new lead, and its row, in the order of the table's columns. */
export function createLead(quote: Quote) {
  const receipt = { id: randomUUIDv7(), formType: 'quote', receivedAt: new Date().toISOString() }
  const row = {
    id: receipt.id,
    received_at: receipt.receivedAt,
    form_type: receipt.formType,
    name: quote.name,
    phone: quote.phone,
    email: quote.email,
    bedrooms: quote.bedrooms,
    bathrooms: quote.bathrooms,
    service: quote.service,
    notes: quote.notes,
    communications_consent: quote.communicationsConsent,
    consent_timestamp: quote.consentTimestamp,
    page_url: quote.pageUrl,
  }
  return { receipt, row }
}

const insertLead = 'INSERT INTO leads VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)'

/** The store of a typical team: one prepared INSERT per lead, through the driver's pool of ten connections. */
export function openLeadPool(): (quote: Quote) => Promise<Receipt> {
  const pool = new pg.Pool({ connectionString: setting('DATABASE_URL') })
  return async (quote) => {
    const { receipt, row } = createLead(quote)
    await pool.query({ name: 'insert_lead', text: insertLead, values: Object.values(row) })
    return receipt
  }
}
