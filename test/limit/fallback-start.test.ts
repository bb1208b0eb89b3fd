import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { openFallbackLimiter } from '../../src/limit/fallback.ts'

const policy = { limit: 10, windowSeconds: 60 }

/** Replicas on one Redis, which a test can take away. The clock stands still. */
async function openFleet(replicas: number) {
  const redis = { isAway: false, used: 0 }
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
  const events = { onModeChange() {}, onDecision() {} }
  const limiters = await Promise.all(
    Array.from({ length: replicas }, () => openFallbackLimiter({ shared, policy, replicas, now: () => 0, events })),
  )
  return {
    redis,
    /** Sends a client's requests to the replicas in turn. Returns how many were admitted. */
    async admit(count: number, clientKey = '192.0.2.1'): Promise<number> {
      let admitted = 0
      for (let index = 0; index < count; index++) {
        const decision = await limiters[index % replicas]?.consume(clientKey)
        if (decision?.allowed) admitted++
      }
      return admitted
    },
    close: () => Promise.all(limiters.map((limiter) => limiter.close())),
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
