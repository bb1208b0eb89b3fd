// The service seals its evidence by itself: when it stops, and after a crash. Operators check it with a command.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { backends, newFile, sqliteBackend } from '../store/backends.ts'
import { post } from '../support/http.ts'
import { root, runService } from '../support/process.ts'
import { quote } from '../support/submissions.ts'

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

for (const { name, newUrl, skip } of backends) {
  test(`with ${name}, a shutdown seals what is stored, a start what a crash left, and the log has it at every level`, {
    skip,
  }, async () => {
    const env = { DATABASE_URL: await newUrl(), CONSENT_SEAL_KEY: 'a key outside the database', LOG_LEVEL: 'fatal' }
    const logged: string[] = []
    for (const end of ['SIGKILL', 'SIGTERM'] as const) {
      const service = await runService(env)
      for (const notes of ['one', 'two'])
        await post(service.url, { ...quote, consentTimestamp: undefined, notes: `${notes} before ${end}` })
      service.signal(end)
      await service.exited
      const lines = service.output().split('\n')
      logged.push(...lines.filter((line) => line.includes('evidence sealed')))
      await service.dispose()
    }
    const store = await openStore({ url: env.DATABASE_URL })
    const segments = await store.evidence.segments(0, 100)
    await store.close()
    assert.deepEqual([segments[0]?.first, segments.at(-1)?.last], [1, 4])
    for (const { keyId } of segments) assert.match(String(keyId), /^[0-9a-f]{16}$/)
    const told = logged.map((line) => {
      const { level: _, time: __, msg: ___, ...segment } = JSON.parse(line)
      return segment
    })
    // A crash may lose the last second of the log, but no segment.
    assert.deepEqual(told, segments.slice(-told.length))
    assert.ok(told.length > 0)

    const file = newFile('service.log')
    writeFileSync(file, `not a line of ours\n${logged.join('\n')}\n`)
    const good = await verify(env, '--witness', file, '--witness', String(segments[0]?.seal))
    assert.equal(good.code, 0, good.output)
    assert.match(good.output, /^4 leads: 4 sealed, 0 erased, 0 not yet sealed\. 0 failures\.$/m)
    if (name !== 'SQLite') return
    writeFileSync(file, 'not a line of ours\n')
    for (const [settings, args, finding] of [
      [env, ['--witness', 'a'.repeat(64)], /^witness_missing /m],
      [env, ['--witness', file], /^witness_empty /m],
      [{ DATABASE_URL: env.DATABASE_URL }, [], /^key_missing .*key missing/m],
    ] as const) {
      const { code, output } = await verify(settings, ...args)
      assert.equal(code, 1)
      assert.match(output, finding)
    }
    assert.equal((await verify(env, '--witness', 'no such file')).code, 64)
  })
}

suite('npm run consent:verify', () => {
  test('neither verifies nor creates a missing database, and says when one cannot be read', async () => {
    const url = await sqliteBackend.newUrl()
    const missing = await verify({ DATABASE_URL: url })
    assert.equal(missing.code, 69, missing.output)
    assert.match(missing.output, /there is no database at .*leads\.db: check DATABASE_URL/)
    assert(!existsSync(url.slice('sqlite:'.length)))
    const away = await verify({ DATABASE_URL: 'postgres://127.0.0.1:9/nothing' })
    assert.equal(away.code, 69)
    assert.match(away.output, /^The evidence could not be read: /)
  })

  test('names what was altered, and no control character of it reaches the terminal', async () => {
    const url = await sqliteBackend.newUrl()
    await (await openStore({ url })).close()
    using database = new DatabaseSync(url.slice('sqlite:'.length))
    database.exec(`INSERT INTO leads (id, kind, received_at, personal, evidence)
      VALUES (char(27) || '[2K' || char(10) || '0 leads', 'quote', '', '', 'none')`)
    const { code, output } = await verify({ DATABASE_URL: url })
    assert.equal(code, 1, output)
    assert.match(output, /^evidence_unreadable \ufffd\[2K\ufffd0 leads /m)
    assert.match(output, /1 failures\.$/m)
  })
})
