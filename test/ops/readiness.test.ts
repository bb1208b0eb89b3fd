import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createReadiness } from '../../src/ops/readiness.ts'
import type { Exchange } from '../../src/ops/replica-reports.ts'
import type { Health } from '../../src/store/health.ts'

const away: Health = { ok: false, reason: 'postgres: ECONNREFUSED' }

/** A replica whose store, Redis and clock are controlled by the test. `round` runs one comparison with the others. */
function replica() {
  const world: { health: Health; exchange: Exchange | 'away'; reported: boolean[] } = {
    health: { ok: true },
    exchange: { nowMs: 0, newestOtherMs: undefined },
    reported: [],
  }
  const heard: [boolean, readonly string[]][] = []
  let due: (() => void) | undefined
  const readiness = createReadiness({
    checkStore: async () => world.health,
    reports: {
      async exchange(stores) {
        world.reported.push(stores)
        if (world.exchange === 'away') throw new Error('Redis is away')
        return world.exchange
      },
    },
    otherTroubles: () => (world.exchange === 'away' ? ['limiter: Redis is away'] : []),
    schedule(round) {
      due = round
      return () => {
        due = undefined
      }
    },
  })
  readiness.onChange((ready, { troubles }) => heard.push([ready, troubles]))
  return {
    world,
    heard,
    readiness,
    isScheduled: () => due !== undefined,
    async round(exchange: Exchange | 'away') {
      world.exchange = exchange
      const run = due
      assert(run, 'a round is scheduled')
      due = undefined
      run()
      while (due === undefined) await new Promise(setImmediate)
    },
  }
}

suite('readiness', () => {
  test('starts with the first success of the store', async () => {
    const { world, readiness, heard } = replica()
    world.health = away
    await readiness.start()
    assert.deepEqual(await readiness.check(), { ready: false, troubles: ['database: postgres: ECONNREFUSED'] })
    assert.deepEqual(heard, [])
    world.health = { ok: true }
    assert.deepEqual(await readiness.check(), { ready: true, troubles: [] })
    assert.deepEqual(heard, [[true, []]])
  })

  test('persists while the database is down for every replica', async () => {
    const { world, readiness, round } = replica()
    await readiness.start()
    world.health = away
    for (let nowMs = 1_000; nowMs < 100_000; nowMs += 2_500) await round({ nowMs, newestOtherMs: 1_500 })
    assert.deepEqual(await readiness.check(), { ready: true, troubles: ['database: postgres: ECONNREFUSED'] })
  })

  test('is lost after three comparisons in a row where only others store, and returns with the store', async () => {
    const { world, readiness, round, heard } = replica()
    await readiness.start()
    world.health = away
    await round({ nowMs: 1_000, newestOtherMs: 900 })
    await round({ nowMs: 3_500, newestOtherMs: 2_900 })
    await round({ nowMs: 6_000, newestOtherMs: 4_900 })
    assert.equal(readiness.ready, true)
    await round({ nowMs: 8_500, newestOtherMs: 6_900 })
    assert.equal(readiness.ready, false)
    world.health = { ok: true }
    assert.deepEqual(await readiness.check(), { ready: true, troubles: [] })
    assert.deepEqual(heard.slice(1), [
      [false, ['database: postgres: ECONNREFUSED', 'other replicas can store']],
      [true, []],
    ])
  })

  test('compares with new reports only: an old success of another replica does not count', async () => {
    const { world, readiness, round } = replica()
    await readiness.start()
    world.health = away
    await round({ nowMs: 1_000, newestOtherMs: undefined })
    for (let nowMs = 3_500; nowMs < 60_000; nowMs += 2_500) await round({ nowMs, newestOtherMs: 2_000 })
    assert.equal(readiness.ready, true)
  })

  test('restarts the count after a comparison without a new report', async () => {
    const { world, readiness, round } = replica()
    await readiness.start()
    world.health = away
    await round({ nowMs: 1_000, newestOtherMs: undefined })
    await round({ nowMs: 2_000, newestOtherMs: 1_500 })
    await round({ nowMs: 3_000, newestOtherMs: 2_500 })
    await round({ nowMs: 4_000, newestOtherMs: 2_500 })
    await round({ nowMs: 5_000, newestOtherMs: 4_500 })
    await round({ nowMs: 6_000, newestOtherMs: 5_500 })
    assert.equal(readiness.ready, true)
    await round({ nowMs: 7_000, newestOtherMs: 6_500 })
    assert.equal(readiness.ready, false)
  })

  test("persists and returns while Redis is down, because the others' state is unknown", async () => {
    const { world, readiness, round } = replica()
    await readiness.start()
    world.health = away
    for (let count = 0; count < 5; count++) await round('away')
    assert.equal(readiness.ready, true)
    for (let nowMs = 1_000; nowMs < 6_000; nowMs += 1_000) await round({ nowMs, newestOtherMs: nowMs - 1 })
    assert.equal(readiness.ready, false)
    await round('away')
    assert.deepEqual(await readiness.check(), {
      ready: true,
      troubles: ['database: postgres: ECONNREFUSED', 'limiter: Redis is away'],
    })
  })

  test('is reported to other replicas only on success', async () => {
    const { world, readiness, round } = replica()
    await readiness.start()
    await round({ nowMs: 1_000, newestOtherMs: undefined })
    world.health = away
    await round({ nowMs: 3_000, newestOtherMs: undefined })
    assert.deepEqual(world.reported, [true, false])
  })

  test('ends permanently with a shutdown', async () => {
    const { readiness, heard, isScheduled } = replica()
    await readiness.start()
    readiness.stop()
    assert.equal(readiness.ready, false)
    assert.deepEqual(heard.at(-1), [false, ['stopping']])
    assert.deepEqual(await readiness.check(), { ready: false, troubles: ['stopping'] })
    assert.equal(isScheduled(), false)
  })
})
