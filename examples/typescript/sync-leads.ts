// Keeps a copy of every lead in a SQLite table: node sync-leads.ts http://HOST:PORT FILE
// Needs @connectrpc/connect-node, and next to this file gen/, which you generate from proto/ (see docs/inbox.md).
// Except to answer a message, contact nobody whose copy has an optedOutAt until they call or write, and a person has
// checked that: nothing that is submitted lifts an opt-out. Read a lead with possibleOptOut today (docs/consumers.md).
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { toJsonString } from '@bufbuild/protobuf'
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node'
import { LeadInboxService, type WatchLeadsResponse } from './gen/leadintake/v1/inbox_pb.ts'
import { type Lead, LeadSchema } from './gen/leadintake/v1/lead_pb.ts'

const [baseUrl = 'http://localhost:9090', file = 'crm.db'] = process.argv.slice(2)
// The service sends a message at least every 15 seconds. After three times that without one, the connection is dead.
const silenceMs = Number(process.env.SILENCE_SECONDS ?? 45) * 1_000
const batchSize = 500

// Waits for a program that reads the copy.
const crm = new DatabaseSync(file, { timeout: 5_000 })
crm.exec(`
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS leads (id TEXT PRIMARY KEY, lead TEXT, erased INTEGER, seen INTEGER);
  CREATE TABLE IF NOT EXISTS feed (only INTEGER PRIMARY KEY CHECK (only = 1), cursor TEXT, recovering INTEGER);
  INSERT OR IGNORE INTO feed VALUES (1, '', 0);
`)
const feed = crm.prepare('SELECT cursor, recovering FROM feed')
const find = crm.prepare('SELECT lead, erased FROM leads WHERE id = ?')
// A lead can arrive more than once. An erased copy stays erased.
const upsert = crm.prepare(`
  INSERT INTO leads VALUES (?, ?, ?, 1) ON CONFLICT (id) DO UPDATE SET
    lead = CASE WHEN leads.erased AND NOT excluded.erased THEN leads.lead ELSE excluded.lead END,
    erased = leads.erased OR excluded.erased, seen = 1`)
const moveTo = crm.prepare('UPDATE feed SET cursor = ?')
const unseen = crm.prepare('SELECT id FROM leads WHERE NOT seen')

function transaction(work: () => void): void {
  crm.exec('BEGIN IMMEDIATE')
  try {
    work()
    crm.exec('COMMIT')
  } catch (error) {
    crm.exec('ROLLBACK')
    throw error
  }
}

/** Keeps the later time of an opt-out, and reports what a restore of the service's database has undone. */
function keepWhatIsKnown(lead: Lead): void {
  const known = find.get(lead.id)
  if (!known) return
  if (known.erased && !lead.erased) console.error(`erase again: ${lead.id}`)
  const { optedOutAt } = JSON.parse(String(known.lead))
  const optedOutMs = optedOutAt ? Date.parse(optedOutAt) : 0
  if (optedOutMs <= (lead.optedOutAt ? timestampMs(lead.optedOutAt) : 0)) return
  if (!lead.erased) console.error(`opt-out again: ${lead.id} ${optedOutAt}`)
  lead.optedOutAt = timestampFromMs(optedOutMs)
}

/** Stores leads and their cursor in one transaction, so that a crash can neither skip a lead nor lose the cursor. */
function store(messages: readonly WatchLeadsResponse[]): void {
  transaction(() => {
    for (const { lead, cursor, caughtUp } of messages) {
      if (lead) {
        keepWhatIsKnown(lead)
        upsert.run(lead.id, toJsonString(LeadSchema, lead), Number(lead.erased))
      }
      if (caughtUp && feed.get()?.recovering) finishRecovery()
      moveTo.run(cursor)
    }
  })
}

/** After a restore of the service's database: reads everything again, to find the copies that the service has lost. */
function beginRecovery(): void {
  transaction(() => crm.exec("UPDATE leads SET seen = 0; UPDATE feed SET cursor = '', recovering = 1"))
}

function finishRecovery(): void {
  for (const { id } of unseen.all()) console.error(`the service has lost: ${id}`)
  crm.exec('UPDATE feed SET recovering = 0')
}

/** Batches the messages of 20 ms, because a commit costs more than a message. */
async function* batches(stream: AsyncIterable<WatchLeadsResponse>, heard: () => void) {
  const messages = stream[Symbol.asyncIterator]()
  let next = messages.next()
  for (;;) {
    const batch: WatchLeadsResponse[] = []
    let result: IteratorResult<WatchLeadsResponse> | undefined = await next
    const over = delay(20, undefined)
    while (result && !result.done && batch.length < batchSize) {
      heard()
      batch.push(result.value)
      next = messages.next()
      next.catch(() => 'handled where it is awaited')
      result = await Promise.race([next, over])
    }
    if (batch.length > 0) yield batch
    if (result?.done) return
  }
}

for (;;) {
  // A new connection each time, because the old one may be dead.
  const connection = new Http2SessionManager(baseUrl)
  const inbox = createClient(LeadInboxService, createGrpcTransport({ baseUrl, sessionManager: connection }))
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(new Error('the stream is silent')), silenceMs)
  try {
    const request = { cursor: String(feed.get()?.cursor), consumer: 'crm-typescript' }
    const stream = inbox.watchLeads(request, { signal: silence.signal })
    for await (const batch of batches(stream, () => timer.refresh())) store(batch)
  } catch (error) {
    console.error(String(error))
    if (ConnectError.from(error).code === Code.OutOfRange) beginRecovery()
  }
  clearTimeout(timer)
  connection.abort()
  await delay(1_000)
}
