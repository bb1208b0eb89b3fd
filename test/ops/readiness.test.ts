import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { compareEveryMs, createReadiness } from '../../src/ops/readiness.ts'
import type { Health } from '../../src/store/health-watch.ts'

const away: Health = { ok: false, reason: 'postgres: ECONNREFUSED' }

/** A replica whose store, Redis and timers are controlled by the test. */
async function startReplica(t: TestContext, health: Health = { ok: true }) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const world = { health, count: 0, isRedisUp: true }
  const heard: [boolean, readonly string[]][] = []
  async function ask<T>(answer: () => T): Promise<T> {
    if (!world.isRedisUp) throw new Error('Redis is away')
    return answer()
  }
  const readiness = createReadiness({
    checkStore: async () => world.health,
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

suite('readiness', () => {
  test('starts with the first success of the store', async (t) => {
    const { world, readiness, heard } = await startReplica(t, away)
    assert.deepEqual(await readiness.check(), { ready: false, troubles: ['database: postgres: ECONNREFUSED'] })
    assert.deepEqual(heard, [])
    world.health = { ok: true }
    assert.deepEqual(await readiness.check(), { ready: true, troubles: [] })
    assert.deepEqual(heard, [[true, []]])
  })

  test('persists while the database is down for every replica', async (t) => {
    const { world, readiness, round } = await startReplica(t)
    world.health = away
    for (let count = 0; count < 10; count++) await round(0)
    assert.deepEqual(await readiness.check(), { ready: true, troubles: ['database: postgres: ECONNREFUSED'] })
  })

  test('is lost after three comparisons in a row where only others store, and returns with the store', async (t) => {
    const { world, readiness, round, heard, isReady } = await startReplica(t)
    world.health = away
    await round(1)
    for (const others of [1, 1, 0, 1, 1]) await round(others)
    assert.equal(await isReady(), true)
    await round(1)
    assert.equal(await isReady(), false)
    world.health = { ok: true }
    assert.deepEqual(await readiness.check(), { ready: true, troubles: [] })
    assert.deepEqual(heard.slice(1), [
      [false, ['database: postgres: ECONNREFUSED', 'other replicas can store']],
      [true, []],
    ])
  })

  test("persists and returns while Redis is down, because the others' state is unknown", async (t) => {
    const { world, readiness, round, isReady } = await startReplica(t)
    world.health = away
    for (let count = 0; count < 4; count++) await round(1)
    assert.equal(await isReady(), false)
    world.isRedisUp = false
    await round(1)
    assert.deepEqual(await readiness.check(), {
      ready: true,
      troubles: ['database: postgres: ECONNREFUSED', 'limiter: Redis is away'],
    })
  })

  test('is reported to other replicas only on success', async (t) => {
    const { world, round } = await startReplica(t)
    await round(0)
    const reported = world.count
    assert(reported > 0)
    world.health = away
    await round(0)
    assert.equal(world.count, reported)
  })

  test('ends permanently with a shutdown', async (t) => {
    const { world, readiness, heard, round } = await startReplica(t)
    readiness.stop()
    assert.deepEqual(heard.at(-1), [false, ['stopping']])
    const { count } = world
    await round(0)
    assert.equal(world.count, count)
    assert.deepEqual(await readiness.check(), { ready: false, troubles: ['stopping'] })
  })
})
