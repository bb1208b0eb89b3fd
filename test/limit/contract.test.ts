import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Redis } from 'ioredis'
import { redisUrl, skipWithoutEngine } from '../support/backends.ts'
import { allowedOf, type Observed, observe, patient } from './limiters.ts'

interface Backend {
  name: string
  skip: string | false
  /** One or more replicas on an empty store. */
  open(replicas?: number): Promise<Observed[]>
  /** Advances a client's window by this many milliseconds. */
  pass(observed: Observed, ms: number): Promise<void>
}

const memory: Backend = {
  name: 'memory',
  skip: false,
  open: async () => [await observe()],
  async pass({ clock }, ms) {
    clock.nowMs += ms
  },
}

const urls = new WeakMap<Observed, string>()

const redis: Backend = {
  name: 'redis',
  skip: skipWithoutEngine,
  async open(replicas = 1) {
    const url = await redisUrl()
    const all = await Promise.all(
      Array.from({ length: replicas }, () => observe({ redis: { kind: 'single', url }, replicas, ...patient })),
    )
    for (const observed of all) urls.set(observed, url)
    return all
  },
  // Redis has its own clock, so shorten the keys' remaining time instead.
  async pass(observed, ms) {
    observed.clock.nowMs += ms
    const client = new Redis(urls.get(observed) as string)
    for (const key of await client.keys('submissionsPerClient:*'))
      await client.pexpire(key, (await client.pttl(key)) - ms)
    client.disconnect()
  },
}

for (const { name, skip, open, pass } of [memory, redis]) {
  suite(`the limiter on ${name}`, { skip }, () => {
    test('counts down from the limit, refuses the eleventh request, and keeps refusing', async () => {
      const [observed] = await open()
      await using one = observed as Observed
      for (let left = 9; left >= 0; left--) {
        assert.deepEqual(await one.limiter.consume('192.0.2.1'), {
          allowed: true,
          limit: 10,
          remaining: left,
          resetSeconds: 60,
          windowSeconds: 60,
        })
      }
      for (let i = 0; i < 3; i++) {
        const refused = await one.limiter.consume('192.0.2.1')
        assert.deepEqual([refused.allowed, refused.remaining, refused.resetSeconds], [false, 0, 60])
      }
      assert.equal(one.decidedBy.length, 13)
    })

    test('admits exactly 10 of 50 concurrent requests', async () => {
      const [observed] = await open()
      await using one = observed as Observed
      assert.equal(await allowedOf(50, [one.limiter], '192.0.2.1'), 10)
    })

    test('counts each client separately', async () => {
      const [observed] = await open()
      await using one = observed as Observed
      assert.equal(await allowedOf(12, [one.limiter], '192.0.2.1'), 10)
      assert.equal(await allowedOf(12, [one.limiter], '2001:db8:1:2::/64'), 10)
    })

    test('starts a window with the first request, and a new one with the first request after its end', async () => {
      const [observed] = await open()
      await using one = observed as Observed
      await allowedOf(9, [one.limiter], '192.0.2.1')
      await pass(one, 41_500)
      const late = await one.limiter.consume('192.0.2.1')
      assert.deepEqual([late.allowed, late.remaining, late.resetSeconds], [true, 0, 19])
      const refused = await one.limiter.consume('192.0.2.1')
      assert.deepEqual([refused.allowed, refused.resetSeconds], [false, 19])
      await pass(one, 18_500)
      const fresh = await one.limiter.consume('192.0.2.1')
      assert.deepEqual([fresh.allowed, fresh.remaining, fresh.resetSeconds], [true, 9, 60])
    })
  })
}

suite('limiters on one redis', { skip: skipWithoutEngine }, () => {
  test('share one limit: of 50 concurrent requests on three limiters, exactly 10 pass', async () => {
    const replicas = await redis.open(3)
    await using _all = {
      [Symbol.asyncDispose]: async () => void (await Promise.all(replicas.map((one) => one.limiter.close()))),
    }
    assert.equal(
      await allowedOf(
        50,
        replicas.map(({ limiter }) => limiter),
        '192.0.2.1',
      ),
      10,
    )
    assert.ok(replicas.every(({ limiter }) => limiter.mode === 'shared'))
  })

  test('refuse a client over its limit without asking Redis again', async () => {
    const [observed] = await redis.open()
    await using one = observed as Observed
    for (let i = 0; i < 12; i++) await one.limiter.consume('192.0.2.1')
    assert.deepEqual(one.decidedBy, [...Array(10).fill('shared'), 'block', 'block'])
  })
})
