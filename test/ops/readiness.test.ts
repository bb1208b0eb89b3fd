import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { compareEveryMs, createReadiness } from '../../src/ops/readiness.ts'

const away = 'postgres: ECONNREFUSED'

/** A replica whose store, Redis and timers are controlled by the test. */
async function startReplica(t: TestContext, storeTrouble: string | undefined) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const world = { storeTrouble, count: 0, isRedisUp: true }
  const heard: [boolean, readonly string[]][] = []
  async function ask<T>(answer: () => T): Promise<T> {
    if (!world.isRedisUp) throw new Error('Redis is away')
    return answer()
  }
  const readiness = createReadiness({
    storeTrouble: async () => world.storeTrouble,
    reports: { add: () => ask(() => void world.count++), read: () => ask(() => String(world.count)) },
    otherTroubles: () => (world.isRedisUp ? [] : ['limiter: Redis is away']),
  })
  readiness.onChange(({ ready, troubles }) => heard.push([ready, troubles]))
  const settle = () => new Promise(setImmediate)
  await readiness.start()
  await settle()
  return {
    world,
    heard,
    readiness,
    isReady: async () => (await readiness.check()).ready,
    /** Compares once, after other replicas have stored `others` times. */
    async round(others: number) {
      world.count += others
      t.mock.timers.tick(compareEveryMs)
      await settle()
    },
  }
}

test('a replica is ready from its first success, unless only others can store, until its shutdown', async (t) => {
  const { world, readiness, round, heard, isReady } = await startReplica(t, away)
  const database = 'database: postgres: ECONNREFUSED'
  assert.deepEqual(await readiness.check(), { ready: false, troubles: [database] })
  assert.equal(heard.length, 0)
  world.storeTrouble = undefined
  assert.deepEqual(await readiness.check(), { ready: true, troubles: [] })
  await round(0)
  const reported = world.count
  assert(reported > 0)

  // Nobody can store: it stays ready, and reports nothing to the others.
  world.storeTrouble = away
  for (let count = 0; count < 10; count++) await round(0)
  assert.equal(world.count, reported)
  assert.deepEqual(await readiness.check(), { ready: true, troubles: [database] })

  // The others can store, as three comparisons in a row find.
  for (const others of [1, 1, 0, 1, 1]) await round(others)
  assert.equal(await isReady(), true)
  await round(1)
  assert.equal(await isReady(), false)

  // While Redis is away, the others' state is unknown.
  world.isRedisUp = false
  await round(1)
  assert.deepEqual(await readiness.check(), { ready: true, troubles: [database, 'limiter: Redis is away'] })
  world.isRedisUp = true
  for (let count = 0; count < 3; count++) await round(1)
  assert.equal(await isReady(), false)
  world.storeTrouble = undefined
  assert.equal(await isReady(), true)
  const lost = [false, [database, 'other replicas can store']]
  assert.deepEqual(heard, [[true, []], lost, [true, [database, 'limiter: Redis is away']], lost, [true, []]])

  readiness.stop()
  assert.deepEqual(heard.at(-1), [false, ['stopping']])
  const { count } = world
  await round(0)
  assert.equal(world.count, count)
  assert.deepEqual(await readiness.check(), { ready: false, troubles: ['stopping'] })
})
