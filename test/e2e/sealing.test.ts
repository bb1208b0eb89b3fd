// The service seals its evidence by itself: while it runs, when it stops, and after a crash.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { post } from '../support/http.ts'
import { root, runService } from '../support/process.ts'
import { quote } from '../support/submissions.ts'

const sqliteUrl = () => `sqlite:${join(mkdtempSync(join(tmpdir(), 'leads-')), 'leads.db')}`

const stores = [
  { name: 'PostgreSQL', newUrl: postgresUrl, skip: skipWithoutEngine },
  { name: 'SQLite', newUrl: async () => sqliteUrl(), skip: false },
] as const

/** Runs `npm run consent:verify`. */
function verify(env: Record<string, string>, ...args: string[]): Promise<{ code: unknown; output: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['src/commands/verify.ts', ...args],
      { cwd: root, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })
}

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
    test('a shutdown seals what is stored, a start seals what a crash left, and the log has it at every level', async () => {
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
      // A crash may lose the last second of the log, but no segment.
      assert.deepEqual(told, segments.slice(-told.length))
      assert.ok(told.length > 0)

      const file = join(mkdtempSync(join(tmpdir(), 'log-')), 'service.log')
      writeFileSync(file, `not a line of ours\n${logged.join('\n')}\n`)
      const good = await verify(env, '--witness', file, '--witness', String(segments[0]?.seal))
      assert.equal(good.code, 0, good.output)
      assert.match(good.output, /^4 leads: 4 sealed, 0 erased, 0 not yet sealed\. 0 failures\.$/m)
      const unknown = await verify(env, '--witness', 'a'.repeat(64))
      assert.equal(unknown.code, 1)
      assert.match(unknown.output, /^witness_missing /m)
      const keyless = await verify({ DATABASE_URL: env.DATABASE_URL })
      assert.equal(keyless.code, 1)
      assert.match(keyless.output, /^key_missing .*key missing/m)
      assert.equal((await verify(env, '--witness', 'no such file')).code, 64)
      writeFileSync(file, 'not a line of ours\n')
      const empty = await verify(env, '--witness', file)
      assert.equal(empty.code, 1)
      assert.match(empty.output, /^witness_empty /m)
    })
  })
}

test('a missing database is not verified, and not created', async () => {
  const url = sqliteUrl()
  const { code, output } = await verify({ DATABASE_URL: url })
  assert.equal(code, 69, output)
  assert.match(output, /there is no database at .*leads\.db: check DATABASE_URL/)
  assert(!existsSync(url.slice('sqlite:'.length)))
})

test('an id with control characters cannot affect the terminal that shows a finding', async () => {
  const url = sqliteUrl()
  await (await openStore({ url })).close()
  const database = new DatabaseSync(url.slice('sqlite:'.length))
  database.exec(`INSERT INTO leads (id, kind, received_at, personal, evidence)
    VALUES (char(27) || '[2K' || char(10) || '0 leads', 'quote', '', '', 'none')`)
  database.close()
  const { code, output } = await verify({ DATABASE_URL: url })
  assert.equal(code, 1, output)
  assert.match(output, /^evidence_unreadable \ufffd\[2K\ufffd0 leads /m)
})
