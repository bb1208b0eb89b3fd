// What a consumer that starts with the first of many leads costs the service, and consumers that do not read.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { makeTexts } from '../support/evidence.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { isLong } from '../support/long.ts'
import { memoryOf, root, runService } from '../support/process.ts'
import { quote } from '../support/submissions.ts'

const total = isLong ? 100_000 : 12_000

const { personal, evidence } = makeTexts({
  formType: 'quote',
  ...quote,
  notes: 'Two cats. Side gate is open. '.repeat(8),
})

/** Stores leads like the service, but all at once. */
async function fill(databaseUrl: string): Promise<void> {
  if (databaseUrl.startsWith('sqlite:')) {
    const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { timeout: 10_000 })
    database.exec(`
      BEGIN IMMEDIATE;
      WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${total})
      INSERT INTO leads (id, kind, received_at, personal, evidence)
      SELECT printf('0199e2f2-0000-7000-8000-%012x', n), 'quote', '2026-11-21T09:30:00.000Z', '${personal}', '${evidence}'
      FROM n;
      COMMIT`)
    database.close()
    return
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`
    INSERT INTO leads (id, kind, received_at, personal, evidence)
    SELECT ('0199e2f2-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'quote', '2026-11-21T09:30:00Z', '${personal}',
      '${evidence}'
    FROM generate_series(1, ${total}) n`)
  await client.end()
}

/** Reads all leads in a separate process. Returns how many per second. */
async function drained(internalUrl: string): Promise<string> {
  const { stdout } = await promisify(execFile)('node', ['test/support/drain.ts', internalUrl, String(total)], {
    cwd: root,
    timeout: 100_000,
  })
  return stdout.trim()
}

const stores = [
  { name: 'PostgreSQL', env: async () => ({ DATABASE_URL: await postgresUrl() }), skip: skipWithoutEngine },
  { name: 'SQLite', env: async () => ({}), skip: false },
] as const

for (const { name, env, skip } of stores) {
  suite(`${total} leads in ${name}`, { skip }, () => {
    test('are read in order, with constant memory, even next to consumers that do not read', {
      timeout: 240_000,
    }, async (t) => {
      const service = await runService(await env())
      const leave = new AbortController()
      try {
        await fill(service.databaseUrl)
        // Twenty consumers that request everything and read one lead each.
        const still = Array.from({ length: 20 }, () =>
          inboxClient(service.internalUrl).watchLeads({}, { signal: leave.signal })[Symbol.asyncIterator](),
        )
        for (const stream of still) await stream.next()
        const peaks: number[] = []
        const rates: number[] = []
        for (let round = 0; round < 2; round++) {
          const drain = drained(service.internalUrl)
          let peak = 0
          while ((await Promise.race([drain, delay(50)])) === undefined) peak = Math.max(peak, memoryOf(service))
          rates.push(Number(await drain))
          peaks.push(peak)
        }
        const shown = (values: number[]) => values.map((value) => value.toFixed(0)).join(', ')
        t.diagnostic(`${shown(rates)} leads a second; at most ${shown(peaks)} MB`)
        const [first = 0, last = 0] = peaks
        assert.ok(last < first * 1.25 + 20, `${shown(peaks)} MB`)
        assert.ok(last < 450, `${shown(peaks)} MB`)
      } finally {
        leave.abort()
        await service.dispose()
      }
    })
  })
}
