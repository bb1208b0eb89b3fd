import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { Redis } from 'ioredis'
import { postgresBackend } from '../store/backends.ts'
import { postgresUrl, queryPostgres, redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { get, post } from '../support/http.ts'
import { root, startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'

const runbook = readFileSync(join(root, 'docs/operations.md'), 'utf8')

suite('the runbook', () => {
  test('finds and ends the session whose lock blocks leads', { skip: skipWithoutEngine }, async () => {
    const [find] = [...runbook.matchAll(/^sql "(SELECT pid, usename[^"]+)"$/gm)].map(([, text]) => text)
    const url = await postgresUrl()
    await using service = await startService({ DATABASE_URL: url })
    const holder = await postgresBackend.openDatabase(url)
    try {
      for (const table of ['leads', 'claims', 'changes']) {
        await holder.exec(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`)
        const rows = await queryPostgres(url, find as string)
        assert.deepEqual([rows.length, rows[0]?.mode], [1, 'ShareLock'], table)
        await holder.exec('ROLLBACK')
      }
      await holder.exec('BEGIN; LOCK TABLE leads IN ACCESS EXCLUSIVE MODE')
      const [found] = await queryPostgres(url, find as string)
      await queryPostgres(url, `SELECT pg_terminate_backend(${found?.pid})`)
      assert.equal((await post(service.url, quote)).status, 201)
    } finally {
      await holder.close()
    }
  })

  test('lists the Redis permissions that the limiter needs, and how to replace the password', {
    skip: skipWithoutEngine,
  }, async () => {
    const rights = /`(\+evalsha [^`]+)`/.exec(runbook)?.[1]
    assert(rights)
    const url = new URL(await redisUrl())
    const admin = new Redis(url.href)
    // Which database is used is the test's setup, not a need of the service.
    await admin.call('ACL', 'SETUSER', 'runbook', 'reset', 'on', '>of-a-test-only', '+select', ...rights.split(' '))
    try {
      url.username = 'runbook'
      url.password = 'of-a-test-only'
      await using service = await startService({ REDIS_URL: url.href })
      assert.equal((await get(`${service.url}/api/v1`)).json.status, 'operational')
      assert.equal((await post(service.url, quote)).status, 201)
      const [add = '', remove = ''] = [...runbook.matchAll(/`ACL (SETUSER USER \S+)`/g)].map(([, text = '']) =>
        text.replace(' USER ', ' runbook ').replace('OLD', url.password),
      )
      await admin.call('ACL', ...add.split(' '))
      await using next = await startService({ REDIS_URL: Object.assign(new URL(url), { password: 'NEW' }).href })
      await post(service.url, quote)
      await admin.call('ACL', ...remove.split(' '))
      await assert.rejects(admin.call('AUTH', 'runbook', url.password), /WRONGPASS/)
      assert.equal((await post(next.url, quote)).status, 201)
      assert.equal((await get(`${next.url}/api/v1`)).json.status, 'operational')
      for (const one of [service, next]) assert.doesNotMatch(one.log(), /counting in this replica/)
    } finally {
      await admin.call('ACL', 'DELUSER', 'runbook')
      admin.disconnect()
    }
  })
})
