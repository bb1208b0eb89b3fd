import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { compareEveryMs, createReadiness } from '../../src/ops/readiness.ts'

/** A replica whose store, Redis and timers are controlled by the test. */
async function startReplica(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const world = { storeTrouble: undefined as string | undefined, count: 0, isRedisUp: true }
  async function ask<T>(answer: () => T): Promise<T> {
    if (!world.isRedisUp) throw new Error('Redis is away')
    return answer()
  }
  const readiness = createReadiness({
    storeTrouble: async () => world.storeTrouble,
    reports: { add: () => ask(() => void world.count++), read: () => ask(() => String(world.count)) },
    findOtherTroubles: async () => [],
  })
  const settle = () => new Promise(setImmediate)
  await readiness.start()
  await settle()
  return {
    world,
    isReady: async () => (await readiness.check()).ready,
    /** Compares this often, while the other replicas store once before each comparison. */
    async compare(times: number, others = 1) {
      for (let time = 0; time < times; time++) {
        world.count += others
        t.mock.timers.tick(compareEveryMs)
        await settle()
      }
    },
  }
}

// e2e/ops.test.ts and the drills show the rest: at the start, while nobody can store, and at a shutdown.
test('a replica leaves when three comparisons in a row find that others store, unless Redis is away', async (t) => {
  const { world, compare, isReady } = await startReplica(t)
  world.storeTrouble = 'postgres: ECONNREFUSED'
  await compare(3)
  await compare(1, 0)
  await compare(2)
  assert.equal(await isReady(), true)
  await compare(1)
  assert.equal(await isReady(), false)
  world.isRedisUp = false
  await compare(1)
  assert.equal(await isReady(), true, "the others' state is unknown")
  world.isRedisUp = true
  await compare(3)
  assert.equal(await isReady(), false)
  world.storeTrouble = undefined
  assert.equal(await isReady(), true)
})
