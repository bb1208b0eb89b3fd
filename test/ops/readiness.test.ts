import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareEveryMs, createReadiness } from '../../src/ops/readiness.ts'

// test/e2e/ops.test.ts and the drills show the rest: at the start, while nobody can store, and at a shutdown.
test('a replica becomes unready when three comparisons in a row show that others store, unless Redis is down', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let trouble: string | undefined
  let count = 0
  let isRedisUp = true
  const readiness = createReadiness({
    findStoreTrouble: async () => trouble,
    reports: {
      add: async () => {},
      read: async () => (isRedisUp ? `${count}` : Promise.reject(new Error('Redis is away'))),
    },
    findOtherTroubles: async () => [],
  })
  const settle = () => new Promise(setImmediate)
  const isReady = async () => (await readiness.judge()).ready
  /** Compares this often, while the other replicas store so often before each comparison. */
  async function compare(times: number, others = 1) {
    for (let time = 0; time < times; time++) {
      count += others
      t.mock.timers.tick(compareEveryMs)
      await settle()
    }
  }
  await readiness.start()
  await settle()
  trouble = 'postgres: ECONNREFUSED'
  await compare(3)
  await compare(1, 0)
  await compare(2)
  assert.equal(await isReady(), true)
  await compare(1)
  assert.equal(await isReady(), false)
  isRedisUp = false
  await compare(1)
  assert.equal(await isReady(), true, "the others' state is unknown")
  isRedisUp = true
  await compare(3)
  assert.equal(await isReady(), false)
  trouble = undefined
  assert.equal(await isReady(), true)
})
