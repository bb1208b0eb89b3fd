import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Redis } from 'ioredis'
import { siteNetwork } from '../../src/limit/client-key.ts'
import { redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { allowedOf, type Observed, observe, patient } from './limiters.ts'

const client = (number: number, site = 1) => `2001:db8:${site.toString(16)}:${number.toString(16)}::/64`

test('a site is the /48 of an IPv6 client', () => {
  assert.equal(siteNetwork('2001:db8:1:2::/64'), '2001:db8:1::/48')
  assert.equal(siteNetwork('2001:db8::/64'), '2001:db8::/48')
  assert.equal(siteNetwork('::/64'), '::/48')
  assert.equal(siteNetwork('192.0.2.1'), undefined)
})

/** Uses up a site's limit with ten clients. */
async function useUp({ limiter }: Observed): Promise<void> {
  for (let number = 0; number < 10; number++) assert.equal(await allowedOf(10, [limiter], client(number)), 10)
}

const backends: [name: string, skip: string | false, open: () => Promise<Observed>][] = [
  ['memory', false, () => observe()],
  ['redis', skipWithoutEngine, async () => observe({ redis: { kind: 'single', url: await redisUrl() }, ...patient })],
]

for (const [name, skip, open] of backends) {
  suite(`the limit of a site on ${name}`, { skip }, () => {
    test("is ten times a client's limit, and its refusals say when the site may send again", async () => {
      await using one = await open()
      await useUp(one)
      for (let count = 0; count < 2; count++) {
        const refused = await one.limiter.consume(client(10))
        assert.deepEqual([refused.allowed, refused.limit, refused.remaining, refused.resetSeconds], [false, 100, 0, 60])
      }
      // A client over its own limit is told about that limit.
      assert.equal((await one.limiter.consume(client(0))).limit, 10)
      assert.equal((await one.limiter.consume(client(0, 2))).allowed, true)
      assert.equal((await one.limiter.consume('192.0.2.1')).allowed, true)
    })

    test('counts only admitted requests of a client, so that one client cannot lock out its neighbors', async () => {
      await using one = await open()
      assert.equal(await allowedOf(200, [one.limiter], client(0)), 10)
      for (let count = 0; count < 50; count++) await one.limiter.consume(client(0))
      for (let number = 1; number < 10; number++) assert.equal(await allowedOf(10, [one.limiter], client(number)), 10)
      assert.equal((await one.limiter.consume(client(10))).allowed, false)
    })

    test("is shown when less of it is left than of the client's", async () => {
      await using one = await open()
      for (let number = 0; number < 9; number++) await allowedOf(10, [one.limiter], client(number))
      // 9 left for the client and 9 for the site: the client's decision counts.
      const first = await one.limiter.consume(client(9))
      assert.deepEqual([first.limit, first.remaining], [10, 9])
      const other = await one.limiter.consume(client(10))
      assert.deepEqual([other.allowed, other.limit, other.remaining], [true, 100, 8])
    })

    test('is not changed by peek', async () => {
      await using one = await open()
      for (let count = 0; count < 20; count++) {
        const { allowed, limit, remaining, resetSeconds } = await one.limiter.peek(client(1))
        assert.deepEqual([allowed, limit, remaining, resetSeconds], [true, 10, 10, 60])
      }
      assert.equal(await allowedOf(12, [one.limiter], client(1)), 10)
      const looked = await one.limiter.peek(client(1))
      assert.deepEqual([looked.limit, looked.remaining], [10, 0])
    })
  })
}

suite('the counters of a site in Redis', { skip: skipWithoutEngine }, () => {
  test('share the hash tag of the site, and end with their windows', async () => {
    const url = await redisUrl()
    await using one = await observe({ redis: { kind: 'single', url }, ...patient })
    await one.limiter.consume(client(1))
    await one.limiter.consume(client(2))
    await one.limiter.peek(client(3))
    const reader = new Redis(url)
    const keys = (await reader.keys('submissionsPerClient:*')).filter((key) => !key.endsWith(':probe'))
    const tags = new Set(keys.map((key) => /\{([^}]{22})\}/.exec(key)?.[1]))
    assert.deepEqual([keys.length, tags.size], [3, 1])
    for (const key of keys) assert((await reader.pttl(key)) > 0, key)
    reader.disconnect()
  })
})

test("without Redis, a site may send ten times the replica's share", async () => {
  await using one = await observe({ redis: { kind: 'single', url: 'redis://127.0.0.1:1' }, replicas: 5 })
  assert.equal(one.limiter.mode, 'fallback')
  for (let number = 0; number < 10; number++) assert.equal(await allowedOf(5, [one.limiter], client(number)), 2)
  const refused = await one.limiter.consume(client(10))
  assert.deepEqual([refused.allowed, refused.limit], [false, 20])
})
