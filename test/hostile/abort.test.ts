// What a mere client can send to the internal listener must not stay in its memory.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { makeLead } from '../store/leads.ts'
import { get, openRaw } from '../support/http.ts'
import { envelope, http1, http2Start } from '../support/http2-frames.ts'
import { inboxClient, memoryOf, runInPod } from '../support/service.ts'
import { quote } from '../support/submissions.ts'

const checkPath = '/grpc.health.v1.Health/Check'

test('calls and connections that callers break off leave nothing in memory', async () => {
  const unfinished = http1(checkPath, 'application/json', Buffer.from('{'), 'content-length: 100')
  for (const [bytes, connections] of [
    [unfinished, 600],
    [http2Start, 1_200],
  ] as const) {
    // If they stayed, it would be 50 MiB and more.
    await using victim = await runInPod({}, 48)
    const breakOff = async () => {
      for (let count = 0; count < connections; count++) {
        const socket = (await openRaw(victim.internalUrl)).on('error', () => {})
        socket.write(bytes)
        await delay(3)
        socket.resetAndDestroy()
      }
    }
    await Promise.allSettled(Array.from({ length: 20 }, breakOff))
    assert.equal((await get(`${victim.url}/api/v1`)).status, 200)
  }
})

/** Together 20 MB, and so 5 GB for all the streams below, which are nearly as many as a replica serves. */
const total = 1_000
const [connections, streams] = [3, 80]

test(`${total} of the longest leads are read in bounded memory, with ${connections * streams} streams that nobody reads`, {
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
