import pg from 'pg'
import { setting } from './environment.ts'
import { createLeadTable, createReceipt, type Receipt } from './lead-table.ts'
import type { Quote } from './quote.ts'

/** Maximum rows per statement. */
const batchMax = 128

const insertLeads = {
  name: 'insert_leads',
  text: 'INSERT INTO leads SELECT * FROM json_populate_recordset(NULL::leads, $1)',
}

interface Waiting {
  row: Record<string, unknown>
  resolve(): void
  reject(reason: unknown): void
}

/** Opens a store that batches leads arriving during a commit into the next one: one statement, one fsync. */
export async function openGroupCommit(): Promise<(quote: Quote) => Promise<Receipt>> {
  await createLeadTable()
  const client = new pg.Client(setting('DATABASE_URL'))
  await client.connect()
  let queue: Waiting[] = []
  let running = false

  async function commitQueue(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, batchMax)
      queue = queue.slice(batchMax)
      try {
        await client.query({ ...insertLeads, values: [JSON.stringify(batch.map(({ row }) => row))] })
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running = false
  }

  return (quote) =>
    new Promise((resolve, reject) => {
      const receipt = createReceipt()
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
      queue.push({ row, resolve: () => resolve(receipt), reject })
      if (running) return
      running = true
      // Leads that arrive in the same event-loop turn join the batch.
      setImmediate(commitQueue)
    })
}
