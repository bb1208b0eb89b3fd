import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { postgresUrl, redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { readContents } from '../support/database.ts'
import { get, post } from '../support/http.ts'
import { newLead } from '../support/load.ts'
import { runService, serviceCommand, untilPrinted } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { skipWithout } from '../support/tools.ts'
import { until } from '../support/until.ts'

suite('a wrong clock', { skip: skipWithout('faketime') || skipWithoutEngine }, () => {
  for (const [database, newUrl] of Object.entries({ SQLite: () => undefined, PostgreSQL: postgresUrl })) {
    test(`erases no lead and no claim on ${database}, also after its own leads and a restart`, async () => {
      const url = await newUrl()
      await using right = await startService(url ? { DATABASE_URL: url } : {})
      const body = newLead()
      assert.equal((await post(right.url, body)).status, 201)
      for (const ahead of ['+6y', '+2050d', '+6y']) {
        const env = { DATABASE_URL: right.databaseUrl, LEAD_RETENTION_DAYS: '1825' }
        await using wrong = await runService(env, ['faketime', '-f', ahead, ...serviceCommand])
        await untilPrinted(wrong, 'a clock is wrong')
        assert.match((await get(`${wrong.opsUrl}/readyz`)).text, /^ok, but clock: .*nothing is erased by age/)
        assert.equal((await post(wrong.url, newLead())).status, 201, 'a wrong clock turns nobody away')
      }
      const { leads, distinct } = await readContents(right.databaseUrl)
      assert.deepEqual([leads.length, distinct], [4, 4])
      assert.equal((await post(right.url, body)).status, 200)
    })
  }

  for (const [hours, said] of Object.entries({ '-1': 'ahead', '1': 'behind' }))
    test(`that is wrong by ${hours} h is named, once in the log`, async () => {
      const env = { DATABASE_URL: await postgresUrl(), REDIS_URL: await redisUrl() }
      await using service = await startService(env, { now: () => Date.now() + Number(hours) * 3_600_000 })
      const differ = `compared with this replica, the database is ${said} by 3600 s, Redis ${said} by 3600 s`
      const { status, text } = await get(`${service.opsUrl}/readyz`)
      assert.deepEqual([status, text.includes(`ok, but clock: ${differ};`)], [200, true], text)
      await until('the first claims were looked for', () => service.log().includes('a clock is wrong'))
      assert.equal(service.log().split('a clock is wrong').length, 2)
    })
})
