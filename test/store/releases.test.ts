// The release before this one and this one on one PostgreSQL while it migrates, as in a rollout and a rollback. Until a
// release is tagged, the last commit stands for the one before.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { migratePostgres } from '../../src/store/postgres/database.ts'
import { postgresMigrations } from '../../src/store/postgres/migrations.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { assertStored, readContents } from '../support/database.ts'
import { newFolder } from '../support/folder.ts'
import { post } from '../support/http.ts'
import { newLead, startLoad } from '../support/load.ts'
import { root, runService, serviceCommand } from '../support/process.ts'
import { until } from '../support/until.ts'

const shell = (command: string, cwd = root) => execFileSync('sh', ['-c', command], { cwd, encoding: 'utf8' }).trim()
const commit = shell("git describe --tags --abbrev=0 --match 'v*' HEAD^ 2>/dev/null || echo HEAD")

/** Checks a release out, with the packages of its lock file. */
function checkOut(): string {
  const folder = newFolder()
  shell(`git archive ${commit} | tar -x -C ${folder}`)
  const samePackages = shell(`cmp -s package-lock.json ${folder}/package-lock.json && echo yes || true`)
  if (samePackages) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  else shell('npm ci --ignore-scripts', folder)
  return folder
}

/** Locks the tables in the opposite order of a batch of leads. */
const next = {
  version: postgresMigrations.length + 1,
  name: 'next',
  sql: ['leads', 'claims', 'changes'].map((table) => `ALTER TABLE ${table} ADD COLUMN next text`).join(';'),
}

test(`${commit} and this release share a schema`, { skip: skipWithoutEngine }, async () => {
  const env = { DATABASE_URL: await postgresUrl(), RATE_LIMIT: '1000000' }
  await using old = await runService(env, [process.execPath, 'src/main.ts'], { cwd: checkOut() })
  const acknowledged: string[] = []
  /** Sends leads while something happens, and afterwards sixty more. */
  async function underLoad(urls: string[], work: () => Promise<unknown>) {
    const { ledger, stop } = startLoad(urls, { perSecond: 100 })
    const more = (count: number, wanted = ledger.acknowledged.length + count) =>
      until(`${count} more leads`, () => ledger.acknowledged.length >= wanted)
    try {
      await more(20)
      await work()
      await more(60)
    } finally {
      await stop()
    }
    assert.deepEqual([...ledger.others], [], 'nothing was refused')
    acknowledged.push(...ledger.acknowledged)
  }

  await underLoad([old.url], () => migratePostgres(env.DATABASE_URL, [...postgresMigrations, next]))
  {
    await using fresh = await runService(env, serviceCommand)
    await underLoad([old.url, fresh.url], async () => {})
    // A retry that reaches the other release is no second lead, whichever comes first.
    for (const [first, second] of [
      [old.url, fresh.url],
      [fresh.url, old.url],
    ] as const) {
      const body = newLead()
      const headers = { 'Idempotency-Key': `"${randomUUID()}"` }
      const { json } = await post(first, body, { headers })
      assert.equal((await post(second, body, { headers })).json.id, json.id)
      acknowledged.push(String(json.id))
    }
    fresh.signal('SIGTERM')
    assert.equal(await fresh.exited, 0)
  }
  // The rollback.
  await underLoad([old.url], async () => {})
  assertStored(acknowledged, await readContents(env.DATABASE_URL))
})
