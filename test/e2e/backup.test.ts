import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { readContents } from '../support/database.ts'
import { startLoad } from '../support/load.ts'
import { root, runService } from '../support/process.ts'
import { until } from '../support/until.ts'

const key = { CONSENT_SEAL_KEY: 'only-for-tests-only-for-tests' }

/** Runs one of the service's programs. Rejects when its exit code is not 0. */
async function program(name: string, databaseUrl: string, ...args: string[]) {
  const env = { ...process.env, ...key, DATABASE_URL: databaseUrl }
  const options = { cwd: root, env, encoding: 'buffer', maxBuffer: 1e9 } as const
  return promisify(execFile)(process.execPath, [`src/${name}.ts`, ...args], options)
}

suite('backups of SQLite', () => {
  test('can be made under load and restored with every lead acknowledged before', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'backup-'))
    const service = await runService({ ...key, RATE_LIMIT: '1000000' })
    const running = startLoad([service.url], { most: 1e9, connections: 8 })
    const acknowledges = (more: number) => {
      const enough = running.ledger.acknowledged.length + more
      return until(`${more} leads`, () => running.ledger.acknowledged.length >= enough)
    }
    try {
      await acknowledges(300)
      const before = [...running.ledger.acknowledged]
      const data = dirname(service.databaseUrl.slice('sqlite:'.length))
      const files = readdirSync(data)
      const file = join(folder, 'leads.bak')
      await program('commands/backup', service.databaseUrl, file)
      const streamed = join(folder, 'streamed.bak')
      writeFileSync(streamed, (await program('commands/backup', service.databaseUrl, '-')).stdout)
      await acknowledges(50)
      await running.stop()
      assert.deepEqual([...running.ledger.others], [], 'nothing was refused')
      assert.equal(statSync(file).mode & 0o777, 0o600)
      assert.deepEqual([readdirSync(folder), readdirSync(data)], [['leads.bak', 'streamed.bak'], files])

      const acknowledged = new Set(running.ledger.acknowledged)
      for (const backup of [file, streamed]) {
        const databaseUrl = `sqlite:${backup}.restored/leads.db`
        await program('commands/restore', databaseUrl, backup)
        const { leads, consents, distinct } = await readContents(databaseUrl)
        assert(new Set(leads).isSupersetOf(new Set(before)), 'acknowledged before, but not in the backup')
        assert(acknowledged.isSupersetOf(new Set(leads)), 'in the backup, but never acknowledged')
        assert.deepEqual([consents, distinct], [leads, leads.length])
        await program('commands/verify', databaseUrl)
      }
    } finally {
      await running.stop()
      await service.dispose()
      rmSync(folder, { recursive: true })
    }
  })

  test('report an error in one line', async () => {
    const failure = async (...args: [string, string, ...string[]]) => {
      const { code, stderr } = await program(...args).then(
        () => assert.fail('it ended well'),
        (error) => error,
      )
      return `${code}: ${stderr}`
    }
    assert.match(await failure('commands/backup', 'sqlite:none.db'), /^64: Usage: npm run backup -- FILE.*\n$/)
    assert.match(await failure('commands/backup', 'sqlite:none.db', '-'), /^1: There is no backup: no database at.*\n$/)
    const elsewhere = await failure('commands/backup', 'postgres://a:a-secret@127.0.0.1:1/a', '-')
    assert.match(elsewhere, /^1: There is no backup: PostgreSQL is backed up with pg_dump.*\n$/)
    const database = `sqlite:${join(mkdtempSync(join(tmpdir(), 'backup-')), 'leads.db')}`
    assert.match(await failure('commands/restore', database, '/nowhere/b'), /^1: Nothing was restored: ENOENT.*\n$/)
    assert.match(await failure('commands/move', database), /^64: Usage: npm run move.*\n$/)
    const none = await failure('commands/move', database, 'postgres://a:a-secret@127.0.0.1:1/a')
    assert.match(none, /^1: Nothing was copied: there is no database at .*\n$/)
  })
})
