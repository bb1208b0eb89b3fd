// The service seals what it has stored, by itself: while it runs, when it stops, and what a crash has left.
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { post } from '../support/http.ts'
import { runService } from '../support/process.ts'
import { quote } from '../support/submissions.ts'

const sqliteUrl = () => `sqlite:${join(mkdtempSync(join(tmpdir(), 'leads-')), 'leads.db')}`

const stores = [
  { name: 'PostgreSQL', newUrl: postgresUrl, skip: skipWithoutEngine },
  { name: 'SQLite', newUrl: async () => sqliteUrl(), skip: false },
] as const

async function segmentsOf(url: string) {
  const store = await openStore({ url })
  try {
    return await store.evidence.segments(0, 100)
  } finally {
    await store.close()
  }
}

const submit = (url: string, notes: string) => post(url, { ...quote, consentTimestamp: undefined, notes })

for (const { name, newUrl, skip } of stores) {
  suite(`sealing with ${name}`, { skip }, () => {
    test('a stop seals what is stored, and a start what a crash has left; the log has it whatever its level', async () => {
      const env = {
        DATABASE_URL: await newUrl(),
        CONSENT_SEAL_KEY: 'a key outside the database',
        LOG_LEVEL: 'fatal',
      }
      const logged: string[] = []
      for (const end of ['SIGKILL', 'SIGTERM'] as const) {
        const service = await runService(env)
        for (const notes of ['one', 'two']) await submit(service.url, `${notes} before ${end}`)
        service.signal(end)
        await service.exited
        logged.push(
          ...service
            .output()
            .split('\n')
            .filter((line) => line.includes('evidence sealed')),
        )
        await service.dispose()
      }
      const segments = await segmentsOf(env.DATABASE_URL)
      assert.deepEqual([segments[0]?.first, segments.at(-1)?.last], [1, 4])
      for (const { keyId } of segments) assert.match(String(keyId), /^[0-9a-f]{16}$/)
      const told = logged.map((line) => {
        const { level: _, time: __, msg: ___, ...segment } = JSON.parse(line)
        return segment
      })
      // A crash loses the last second of the log, and no segment.
      assert.deepEqual(told, segments.slice(-told.length))
      assert.ok(told.length > 0)
    })
  })
}
