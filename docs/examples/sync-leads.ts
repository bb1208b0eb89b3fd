// Copies every lead into a table of one's own, each exactly once: node docs/examples/sync-leads.ts URL FILE
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { toJsonString } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { LeadSchema } from '../../src/gen/leadintake/v1/lead_pb.ts'

const [baseUrl = 'http://localhost:9090', file = 'crm.db'] = process.argv.slice(2)
const inbox = createClient(LeadInboxService, createGrpcTransport({ baseUrl }))
const crm = new DatabaseSync(file)
crm.exec('CREATE TABLE IF NOT EXISTS leads (number INTEGER PRIMARY KEY, id TEXT UNIQUE, lead TEXT, cursor TEXT)')
const last = crm.prepare('SELECT cursor FROM leads ORDER BY number DESC LIMIT 1')
// The lead and the cursor after it are one row: both are there, or neither. A lead that comes twice is stored once.
const store = crm.prepare('INSERT OR IGNORE INTO leads (id, lead, cursor) VALUES (?, ?, ?)')

for (;;) {
  try {
    for await (const { lead, cursor } of inbox.watchLeads({ cursor: String(last.get()?.cursor ?? '') })) {
      if (lead) store.run(lead.id, toJsonString(LeadSchema, lead), cursor)
    }
  } catch (error) {
    console.error(String(error))
  }
  await setTimeout(1_000)
}
