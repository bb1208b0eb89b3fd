// What a consumer costs that begins with the first of many leads, beside those that ask for everything and read nothing.
import assert from 'node:assert/strict'
import { connect } from 'node:http2'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { runInPod } from '../hostile/pod.ts'
import { makeLead } from '../store/leads.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { memoryOf } from '../support/process.ts'
import { quote } from '../support/submissions.ts'
import { isLong } from '../support/tools.ts'

const total = isLong ? 100_000 : 4_000
/** Nearly as many as a replica serves. */
const [connections, streams] = [3, 80]
/** Of gRPC: an uncompressed message of zero bytes. */
const emptyRequest = Buffer.alloc(5)

test(`${total} leads are read in order, in bounded memory, beside ${connections * streams} streams that nobody reads`, {
  skip: process.platform === 'linux' ? false : 'reads /proc',
}, async () => {
  await using service = await runInPod()
  const sessions = Array.from({ length: connections }, () => connect(service.internalUrl))
  try {
    // Every tenth lead is as long as one can be.
    const notes = (isLongest: boolean) => (isLongest ? '🙂'.repeat(5_000) : 'Two cats. Side gate is open. '.repeat(8))
    const [usual, longest] = [false, true].map((is) =>
      makeLead({ content: { formType: 'quote', ...quote, notes: notes(is) } }),
    )
    using database = new DatabaseSync(service.databaseUrl.slice('sqlite:'.length), { timeout: 10_000 })
    const insert = database.prepare(
      `INSERT INTO leads (id, kind, received_at, personal, evidence)
       VALUES (printf('0199e2f2-0000-7000-8000-%012x', ?), 'quote', '2026-11-21T09:30:00.000Z', ?, ?)`,
    )
    database.exec('BEGIN IMMEDIATE')
    for (let number = 1; number <= total; number++) {
      const { personal = '', evidence = '' } = (number % 10 === 1 ? longest : usual) ?? {}
      insert.run(number, personal, evidence)
    }
    database.exec('COMMIT')

    const headers = { 'content-type': 'application/grpc', te: 'trailers' }
    const path = { ':method': 'POST', ':path': '/leadintake.v1.LeadInboxService/WatchLeads' }
    const opened = sessions.flatMap((session) =>
      Array.from({ length: streams }, async () => {
        const stream = session.request({ ...path, ...headers }).on('error', () => {})
        stream.end(emptyRequest)
        await new Promise((resolve) => stream.once('response', resolve).once('close', resolve))
      }),
    )
    await Promise.all(opened)
    let count = 0
    let mostMb = 0
    for await (const { lead } of inboxClient(service.internalUrl).watchLeads({})) {
      count++
      assert.equal(Number.parseInt(String(lead?.id.slice(-12)), 16), count)
      if (count % 100 === 0) mostMb = Math.max(mostMb, memoryOf(service))
      if (count === total) break
    }
    assert.ok(mostMb < 384, `${mostMb} MiB`)
  } finally {
    for (const session of sessions) session.destroy()
  }
})
