import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { readContents } from '../support/database.ts'
import { post } from '../support/http.ts'
import { type Load, startLoad } from '../support/load.ts'
import { root, runService } from '../support/process.ts'

const key = { CONSENT_SEAL_KEY: 'only-for-tests-only-for-tests' }

/** Runs one of the service's programs. Rejects when its exit code is not 0. */
async function program(name: string, databaseUrl: string, ...args: string[]) {
  const env = { ...process.env, ...key, DATABASE_URL: databaseUrl }
  const options = { cwd: root, env, encoding: 'buffer', maxBuffer: 1e9 } as const
  return promisify(execFile)(process.execPath, [`src/${name}.ts`, ...args], options)
}

async function acknowledges({ ledger }: Load, more: number): Promise<void> {
  const enough = ledger.acknowledged.length + more
  while (ledger.acknowledged.length < enough) await new Promise((resolve) => setTimeout(resolve, 5))
}

const stores = [
  {
    name: 'SQLite',
    env: async () => ({}),
    target: async (folder: string) => `sqlite:${folder}/restored.db`,
    skip: false,
  },
  {
    name: 'PostgreSQL',
    env: async () => ({ DATABASE_URL: await postgresUrl() }),
    target: () => postgresUrl(),
    skip: skipWithoutEngine,
  },
] as const

for (const { name, env, target, skip } of stores) {
  suite(`backups of ${name}`, { skip }, () => {
    test('can be made under load and restored with every lead acknowledged before', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'backup-'))
      const service = await runService({ ...key, RATE_LIMIT: '1000000', ...(await env()) })
      const running = startLoad([service.url], { most: 1e9, connections: 8 })
      try {
        await acknowledges(running, 300)
        const before = [...running.ledger.acknowledged]
        const file = join(folder, 'leads.bak')
        await program('backup', service.databaseUrl, file)
        const streamed = join(folder, 'streamed.bak')
        writeFileSync(streamed, (await program('backup', service.databaseUrl, '-')).stdout)
        assert(running.ledger.acknowledged.length > before.length, 'leads are taken meanwhile')
        await acknowledges(running, 50)
        await running.stop()
        assert.deepEqual([...running.ledger.others], [], 'nothing was refused')
        assert.equal(statSync(file).mode & 0o777, 0o600)
        assert.deepEqual(readdirSync(folder), ['leads.bak', 'streamed.bak'])

        for (const backup of [file, streamed]) {
          const databaseUrl = await target(mkdtempSync(join(folder, 'restored-')))
          await program('restore', databaseUrl, backup)
          const { leads, consents, distinct } = await readContents(databaseUrl)
          const restored = new Set(leads)
          assert.deepEqual(
            before.filter((id) => !restored.has(id)),
            [],
            'acknowledged before, but not in the backup',
          )
          const acknowledged = new Set(running.ledger.acknowledged)
          assert.deepEqual(
            leads.filter((id) => !acknowledged.has(id)),
            [],
            'in the backup, but never acknowledged',
          )
          assert.deepEqual(consents, leads)
          assert.equal(distinct, leads.length)
          await program('consent-verify', databaseUrl)
        }
      } finally {
        await running.stop()
        await service.dispose()
        rmSync(folder, { recursive: true })
      }
    })

    test('restore a service that continues where the other stopped: seals, duplicates, order', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'backup-'))
      const service = await runService({ ...key, ...(await env()) })
      let databaseUrl: string
      let first: string
      try {
        first = (await post(service.url)).json.id as string
        // A clean shutdown seals everything.
        service.child.kill('SIGTERM')
        assert.equal(await service.exited, 0)
        const file = join(folder, 'leads.bak')
        await program('backup', service.databaseUrl, file)
        databaseUrl = await target(folder)
        await program('restore', databaseUrl, file)
      } finally {
        await service.dispose()
      }
      const restored = await runService({ ...key, DATABASE_URL: databaseUrl })
      try {
        const again = await post(restored.url)
        assert.deepEqual([again.status, again.json.id], [200, first], 'a duplicate is still known')
        restored.child.kill('SIGTERM')
        assert.equal(await restored.exited, 0)
        await program('consent-verify', databaseUrl)
      } finally {
        await restored.dispose()
        rmSync(folder, { recursive: true })
      }
    })
  })
}

suite('the backup programs', () => {
  test('report an error in one line', async () => {
    const failure = (...args: [string, string, ...string[]]) =>
      program(...args).then(
        () => assert.fail('it ended well'),
        ({ code, stderr }) => ({ code, text: String(stderr) }),
      )
    assert.match((await failure('backup', 'sqlite:none.db')).text, /^Usage: npm run backup -- FILE.*\n$/)
    const away = await failure('backup', 'postgres://a:a-secret@127.0.0.1:1/a', '/nowhere/b')
    assert.deepEqual(away, { code: 1, text: away.text })
    assert.match(away.text, /^There is no backup: .+\n$/)
    assert.doesNotMatch(away.text, /a-secret/)
    const missing = await failure('restore', 'sqlite:none.db', '/nowhere/b')
    assert.equal(missing.text, 'Nothing was restored: no such file: /nowhere/b\n')
  })
})
