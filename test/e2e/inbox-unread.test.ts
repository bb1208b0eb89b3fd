// How much memory consumers use that request everything and read nothing.
import assert from 'node:assert/strict'
import { connect } from 'node:http2'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { makeTexts } from '../support/evidence.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { memoryOf, runService } from '../support/process.ts'
import { quote } from '../support/submissions.ts'

/** Nearly as many as a replica serves. */
const connections = 3
const streams = 80

const total = 600

/** An empty gRPC request: an uncompressed message of zero bytes. */
const emptyRequest = Buffer.alloc(5)

test(`${connections * streams} unread streams of the longest leads stay within the memory limit, and delay nobody`, {
  timeout: 120_000,
}, async (t) => {
  const service = await runService()
  const sessions = Array.from({ length: connections }, () => connect(service.internalUrl))
  try {
    const { personal, evidence } = makeTexts({ formType: 'quote', ...quote, notes: '🙂'.repeat(5_000) })
    const database = new DatabaseSync(service.databaseUrl.slice('sqlite:'.length), { timeout: 10_000 })
    const insert = database.prepare(
      `INSERT INTO leads (id, kind, received_at, personal, evidence)
       VALUES (printf('0199e2f2-0000-7000-8000-%012x', ?), 'quote', '2026-11-21T09:30:00.000Z', ?, ?)`,
    )
    database.exec('BEGIN IMMEDIATE')
    for (let number = 1; number <= total; number++) insert.run(number, personal, evidence)
    database.exec('COMMIT')
    database.close()

    // A normal reader first, so that all code is loaded before the measurement.
    const drain = async () => {
      let count = 0
      for await (const { lead } of inboxClient(service.internalUrl).watchLeads({})) {
        if (!lead) return count
        count++
      }
      return count
    }
    for (let round = 0; round < 3; round++) assert.equal(await drain(), total)
    const beforeMb = memoryOf(service)

    const asked = sessions.flatMap((session) => Array.from({ length: streams }, () => session))
    const opened = asked.map(async (session) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/leadintake.v1.LeadInboxService/WatchLeads',
        'content-type': 'application/grpc',
        te: 'trailers',
      })
      stream.on('error', () => {})
      stream.end(emptyRequest)
      await new Promise((resolve) => stream.once('response', resolve).once('close', resolve))
    })
    await Promise.all(opened)
    let mostMb = 0
    for (let round = 0; round < 20; round++) {
      await delay(100)
      mostMb = Math.max(mostMb, memoryOf(service))
    }
    t.diagnostic(
      `${beforeMb.toFixed(0)} MiB before, at most ${mostMb.toFixed(0)} MiB with ${asked.length} unread streams`,
    )
    assert.ok(mostMb - beforeMb < 160, `${beforeMb} and ${mostMb} MiB`)
    assert.equal(await drain(), total)
  } finally {
    for (const session of sessions) session.destroy()
    await service.dispose()
  }
})
