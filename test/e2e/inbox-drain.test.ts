// What consumers cost that begin with the first of many leads, and those that ask for everything and read nothing.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { connect } from 'node:http2'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { makeTexts } from '../support/evidence.ts'
import { isLong } from '../support/long.ts'
import { memoryOf, root, runService } from '../support/process.ts'
import { quote } from '../support/submissions.ts'

const total = isLong ? 100_000 : 6_000
/** Nearly as many as a replica serves. */
const [connections, streams] = [3, 80]

test(`${total} leads are read in order, in bounded memory, beside ${connections * streams} streams that nobody reads`, {
  skip: process.platform === 'linux' ? false : 'reads /proc',
  timeout: 240_000,
}, async (t) => {
  const service = await runService()
  const sessions = Array.from({ length: connections }, () => connect(service.internalUrl))
  try {
    // Every tenth lead is as long as one can be.
    const notes = (isLongest: boolean) => (isLongest ? '🙂'.repeat(5_000) : 'Two cats. Side gate is open. '.repeat(8))
    const [usual, longest] = [false, true].map((is) => makeTexts({ formType: 'quote', ...quote, notes: notes(is) }))
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

    const asked = sessions.flatMap((session) => Array.from({ length: streams }, () => session))
    const opened = asked.map(async (session) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/leadintake.v1.LeadInboxService/WatchLeads',
        'content-type': 'application/grpc',
        te: 'trailers',
      })
      stream.on('error', () => {})
      // An uncompressed message of zero bytes.
      stream.end(Buffer.alloc(5))
      await new Promise((resolve) => stream.once('response', resolve).once('close', resolve))
    })
    await Promise.all(opened)
    for (let round = 1; round <= 2; round++) {
      const drain = promisify(execFile)('node', ['test/support/drain.ts', service.internalUrl, String(total)], {
        cwd: root,
        timeout: 100_000,
      })
      let mostMb = 0
      while ((await Promise.race([drain, delay(50)])) === undefined) mostMb = Math.max(mostMb, memoryOf(service))
      t.diagnostic(`${(await drain).stdout.trim()} leads a second; at most ${mostMb.toFixed(0)} MiB`)
      assert.ok(mostMb < 384, `${mostMb} MiB`)
    }
  } finally {
    for (const session of sessions) session.destroy()
    await service.dispose()
  }
})
