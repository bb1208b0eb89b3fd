import { randomUUIDv7 } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { setting } from './environment.ts'
import type { Quote } from './quote.ts'

const createTable = readFileSync(join(import.meta.dirname, 'lead-table.sql'), 'utf8')

const insertLead = {
  name: 'insert_lead',
  text: 'INSERT INTO leads VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)',
}

/** The answer to a submission. */
export interface Receipt {
  id: string
  formType: 'quote'
  receivedAt: string
}

/** Creates the receipt of a new lead. */
export function createReceipt(): Receipt {
  return { id: randomUUIDv7(), formType: 'quote', receivedAt: new Date().toISOString() }
}

/** Creates the table of leads in the peer's own database if it does not exist. */
export async function createLeadTable(): Promise<void> {
  const client = new pg.Client(setting('DATABASE_URL'))
  await client.connect()
  await client.query(createTable)
  await client.end()
}

/**
 * The store that a typical team would write: one prepared INSERT per lead, through the driver's pool of ten
 * connections.
 */
export async function openLeadPool(): Promise<(quote: Quote) => Promise<Receipt>> {
  await createLeadTable()
  const pool = new pg.Pool({ connectionString: setting('DATABASE_URL') })
  return async (quote) => {
    const receipt = createReceipt()
    await pool.query({
      ...insertLead,
      values: [
        receipt.id,
        receipt.receivedAt,
        receipt.formType,
        quote.name,
        quote.phone,
        quote.email,
        quote.bedrooms,
        quote.bathrooms,
        quote.service,
        quote.notes,
        quote.communicationsConsent,
        quote.consentTimestamp,
        quote.pageUrl,
      ],
    })
    return receipt
  }
}
