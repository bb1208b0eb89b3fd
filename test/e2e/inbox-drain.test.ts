// What consumers cost that ask for everything and read nothing, while another one reads.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { makeLead } from '../store/leads.ts'
import { envelope } from '../support/http2-frames.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { memoryOf, runInPod } from '../support/process.ts'
import { quote } from '../support/submissions.ts'

/** Together 20 MB, and so 5 GB for all the streams below, which are nearly as many as a replica serves. */
const total = 1_000
const [connections, streams] = [3, 80]

test(`${total} of the longest leads are read in bounded memory, beside ${connections * streams} streams that nobody reads`, {
  skip: process.platform === 'linux' ? false : 'reads /proc',
}, async () => {
  await using service = await runInPod()
  const { personal, evidence } = makeLead({ content: { formType: 'quote', ...quote, notes: '🙂'.repeat(5_000) } })
  using database = new DatabaseSync(service.databaseUrl.slice('sqlite:'.length), { timeout: 10_000 })
  database
    .prepare(`WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${total})
      INSERT INTO leads (id, kind, received_at, personal, evidence)
      SELECT printf('0199e2f2-0000-7000-8000-%012x', n), 'quote', '2026-11-21T09:30:00.000Z', ?, ? FROM numbers`)
    .run(personal, evidence)
  const headers = { ':method': 'POST', ':path': '/leadintake.v1.LeadInboxService/WatchLeads', te: 'trailers' }
  const unread = Array.from({ length: connections }, () => connect(service.internalUrl)).flatMap((session) =>
    Array.from({ length: streams }, () => {
      const stream = session.request({ ...headers, 'content-type': 'application/grpc' }).on('error', () => {})
      return once(stream.end(envelope(Buffer.alloc(0))), 'response')
    }),
  )
  await Promise.all(unread)
  let count = 0
  for await (const { lead } of inboxClient(service.internalUrl).watchLeads({})) {
    count++
    assert.equal(Number.parseInt(String(lead?.id.slice(-12)), 16), count)
    if (count % 100 === 0) assert(memoryOf(service) < 384, `${memoryOf(service)} MiB`)
    if (count === total) break
  }
})
