import assert from 'node:assert/strict'
import { mock, suite, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Limiter } from '../../src/limit/decision.ts'
import { openFallbackLimiter } from '../../src/limit/fallback.ts'

const policy = { limit: 10, windowSeconds: 60 }

/** Replicas on one Redis, which a test can take away. The clock stands still until the test sets it. */
async function openFleet(replicas: number) {
  const redis = { isAway: false, used: 0 }
  const clock = { nowMs: 0 }
  mock.timers.enable({ apis: ['setTimeout'] })
  const shared = {
    async count() {
      if (redis.isAway) throw new Error('away')
      return { client: { used: ++redis.used, msLeft: 60_000 }, site: undefined }
    },
    async peek() {
      return { client: { used: redis.used, msLeft: 60_000 }, site: undefined }
    },
    async probe() {
      if (redis.isAway) throw new Error('away')
    },
    settled: async () => {},
    close() {},
  }
  const events = { onModeChange() {}, onProbeFailure() {}, onDecision() {} }
  const limiters = await Promise.all(
    Array.from({ length: replicas }, () =>
      openFallbackLimiter({ shared, policy, replicas, now: () => clock.nowMs, events }),
    ),
  )
  return {
    redis,
    clock,
    limiters,
    async bringBack(): Promise<void> {
      redis.isAway = false
      mock.timers.tick(500)
      await turn()
      for (const { mode } of limiters) assert.equal(mode, 'shared')
    },
    /** Sends a client's requests to the replicas in turn. Returns how many were admitted. */
    async admit(count: number, clientKey = '192.0.2.1'): Promise<number> {
      let admitted = 0
      for (let index = 0; index < count; index++) {
        const decision = await limiters[index % replicas]?.consume(clientKey)
        if (decision?.allowed) admitted++
      }
      return admitted
    },
    async close(): Promise<void> {
      await Promise.all(limiters.map((limiter) => limiter.close()))
      mock.timers.reset()
    },
  }
}

suite('when the limiter switches to its fallback', () => {
  for (const replicas of [1, 2, 3, 5]) {
    for (let before = replicas; before <= 12; before++) {
      test(`after ${before} requests, known to ${replicas} replicas, at most ten are admitted`, async () => {
        const { redis, admit, close } = await openFleet(replicas)
        const first = await admit(before)
        redis.isAway = true
        const second = await admit(100)
        await close()
        assert(first + second <= policy.limit, `${first} and ${second}`)
      })
    }
  }

  test("a single replica continues with Redis's count", async () => {
    const { redis, admit, close } = await openFleet(1)
    await admit(7)
    redis.isAway = true
    assert.equal(await admit(100), 3)
    assert.equal(await admit(100, '192.0.2.2'), 10, 'another client has its own window')
    await close()
  })
})

suite('when Redis comes back', () => {
  test('a client of one replica gets no more than its limit, however often that happens', async () => {
    const { redis, admit, bringBack, close } = await openFleet(1)
    let admitted = 0
    for (let outage = 0; outage < 4; outage++) {
      redis.isAway = true
      admitted += await admit(outage < 2 ? 2 : 20)
      await bringBack()
      admitted += await admit(outage < 2 ? 1 : 20)
    }
    assert.equal(admitted, policy.limit)
    await close()
  })

  test('what the fallback admitted still counts, even if Redis has lost its counts, until that window ends', async () => {
    const { redis, clock, admit, limiters, bringBack, close } = await openFleet(1)
    redis.isAway = true
    assert.equal(await admit(4), 4)
    clock.nowMs = 20_000
    await bringBack()
    const [one] = limiters as [Limiter]
    assert.equal((await one.peek('192.0.2.1')).remaining, 6)
    assert.equal((await one.consume('192.0.2.1')).remaining, 5)
    assert.equal(await admit(100), 5)
    const { allowed, remaining, resetSeconds } = await one.consume('192.0.2.1')
    assert.deepEqual([allowed, remaining, resetSeconds], [false, 0, 60])
    await close()
  })

  test('a window that began and ended in the fallback counts no longer', async () => {
    const { redis, clock, admit, bringBack, close } = await openFleet(1)
    redis.isAway = true
    assert.equal(await admit(10), 10)
    await bringBack()
    clock.nowMs = 60_000
    assert.equal(await admit(100), 10)
    await close()
  })
})
