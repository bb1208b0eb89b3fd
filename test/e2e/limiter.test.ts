import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { startRedisServer } from '../limit/redis-server.ts'
import { postgresUrl, redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { freshClient, get, metricOf, post, rateOf, readinessOf, untilReady } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const statusOf = async ({ url }: Service) => (await get(`${url}/api/v1`)).json.status

/** How many of 12 submissions of one client are admitted. Each is invalid, so that only the limit matters. */
async function admittedOf(services: readonly Service[], client: string): Promise<number> {
  let admitted = 0
  for (let turn = 0; turn < 12; turn++) {
    const { status } = await post((services[turn % services.length] as Service).url, {}, { client })
    if (status !== 429) admitted++
  }
  return admitted
}

const late = 'lead_intake_limiter_decisions_total{mode="fallback",result="allowed"}'

/** What `count` resolves to once Redis has counted all in time. If it is late, the replica counts as well. */
function countedByRedis<T>(services: readonly Service[], count: () => Promise<T>) {
  const countedLate = () => Promise.all(services.map(({ opsUrl }) => metricOf(opsUrl, late)))
  return until('Redis counts in time', async (): Promise<T | undefined> => {
    const before = await countedLate()
    const counted = await count()
    return isDeepStrictEqual(await countedLate(), before) ? counted : undefined
  })
}

suite('replicas and one Redis', { skip: skipWithoutEngine }, () => {
  test('those of one installation share the limit of a client, those of another have their own', async () => {
    const env = { REDIS_URL: await redisUrl(), REPLICAS: '2' }
    const database = { DATABASE_URL: await postgresUrl() }
    await using one = await startService({ ...env, ...database })
    await using other = await startService({ ...env, ...database })
    await using stranger = await startService({ ...env, DATABASE_URL: await postgresUrl() })
    const services = [one, other, stranger]
    const admitted = await countedByRedis(services, async () => {
      const client = freshClient()
      return [await admittedOf([one, other], client), await admittedOf([stranger], client)]
    })
    assert.deepEqual(admitted, [10, 10])
    for (const service of services) await untilReady(service)
  })

  test('those that disagree about the limit are told so', async () => {
    const env = { REDIS_URL: await redisUrl(), DATABASE_URL: await postgresUrl(), REPLICAS: '2' }
    await using one = await startService({ ...env, RATE_LIMIT_SECRET: 'a secret of the first one' })
    await untilReady(one)
    const others = { RATE_LIMIT_SECRET: 'a secret of the other one', RATE_LIMIT_WINDOW_SECONDS: '3600' }
    await using other = await startService({ ...env, ...others })
    const wanted = /^ok, but limiter: another replica has another RATE_LIMIT_WINDOW_SECONDS, RATE_LIMIT_SECRET$/m
    await until('it is found', async () => wanted.test(await readinessOf(other)))
    assert.match(other.log(), /"settings":\["RATE_LIMIT_WINDOW_SECONDS","RATE_LIMIT_SECRET"\]/)
    assert.doesNotMatch(other.log(), /secret of the/)
    assert.doesNotMatch(one.log(), /disagree/)
  })

  test('while Redis hangs, each admits its share and says so; once it answers again, all is as before', async () => {
    await using server = await startRedisServer()
    await using service = await startService({ REDIS_URL: server.url, REPLICAS: '3' })
    const fallback = () => metricOf(service.opsUrl, 'lead_intake_limiter_fallback')
    const isBack = async () => (await statusOf(service)) === 'operational' && (await fallback()) === 0
    await until('Redis counts', isBack)
    await server.pause()
    // A connection that hangs is noticed by those who wait for it.
    await until('it is noticed', async () => (await post(service.url, {})) && (await statusOf(service)) === 'degraded')
    assert.equal(await fallback(), 1)
    assert.match(await readinessOf(service), /^ok, but limiter: /)
    assert.match(service.log(), /"reason":"Redis did not answer within 80 ms"/)
    const client = freshClient()
    assert.equal(rateOf(await post(service.url, {}, { client })).limit, 3)
    assert.equal(await admittedOf([service], client), 2)
    assert((await metricOf(service.opsUrl, late)) >= 3)
    await server.unpause()
    await until('it is back', isBack)
    assert.equal(await countedByRedis([service], () => admittedOf([service], freshClient())), 10)
  })
})
