// Keeps a copy of every lead in a table of one's own, erasures included: node docs/examples/sync-leads.ts URL FILE
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { toJsonString } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { LeadSchema } from '../../src/gen/leadintake/v1/lead_pb.ts'

const [baseUrl = 'http://localhost:9090', file = 'crm.db'] = process.argv.slice(2)
const inbox = createClient(LeadInboxService, createGrpcTransport({ baseUrl }))
const crm = new DatabaseSync(file, { timeout: 5_000 })
crm.exec(`
  CREATE TABLE IF NOT EXISTS leads (number INTEGER PRIMARY KEY, id TEXT UNIQUE, lead TEXT, erased INTEGER);
  CREATE TABLE IF NOT EXISTS place (one INTEGER PRIMARY KEY, cursor TEXT)`)
const cursorOf = crm.prepare('SELECT cursor FROM place')
const remember = crm.prepare('INSERT INTO place VALUES (1, ?) ON CONFLICT DO UPDATE SET cursor = excluded.cursor')
// A lead that comes again takes the place of its copy. An erased copy stays erased, whatever an older state may bring.
const upsert = crm.prepare(`
  INSERT INTO leads (id, lead, erased) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET lead = excluded.lead, erased = excluded.erased WHERE erased <= excluded.erased`)

for (;;) {
  try {
    const from = { cursor: String(cursorOf.get()?.cursor ?? ''), consumer: 'sync-leads' }
    for await (const { lead, cursor } of inbox.watchLeads(from)) {
      // The lead and the cursor behind it are one transaction: both are there, or neither.
      crm.exec('BEGIN IMMEDIATE')
      if (lead) upsert.run(lead.id, toJsonString(LeadSchema, lead), Number(lead.erased))
      remember.run(cursor)
      crm.exec('COMMIT')
    }
  } catch (error) {
    console.error(String(error))
    if (crm.isTransaction) crm.exec('ROLLBACK')
    // The service's database was restored: begin again with the first lead.
    if (ConnectError.from(error).code === Code.OutOfRange) remember.run('')
  }
  await setTimeout(1_000)
}
