import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createMemoryCounter, maxWindows } from '../../src/limit/memory.ts'
import { createDecision, replicaShare } from '../../src/limit/policy.ts'
import { allowedOf, limiterContract, nowhere, observe } from './limiters.ts'

limiterContract('one process', () => observe())

suite('without Redis in the configuration', () => {
  test('a window starts with the first request, and a new one with the first request after its end', async (t) => {
    t.mock.timers.enable({ apis: ['Date', 'setTimeout'] })
    await using one = await observe()
    const ask = async () => {
      const { allowed, remaining, resetSeconds } = await one.limiter.consume('192.0.2.1')
      return [allowed, remaining, resetSeconds]
    }
    assert.deepEqual(await ask(), [true, 9, 60])
    await allowedOf(8, [one.limiter], '192.0.2.1')
    t.mock.timers.tick(41_500)
    assert.deepEqual(await ask(), [true, 0, 19])
    assert.deepEqual(await ask(), [false, 0, 19])
    t.mock.timers.tick(18_500)
    assert.deepEqual(await ask(), [true, 9, 60])
    assert.equal(await one.limiter.check(), undefined)
    assert(one.decidedBy.every((by) => by === 'local'))
  })
})

suite('while Redis is away', () => {
  test('each replica admits its share by itself, ten times that for a /48, and says what it enforces', async () => {
    await using one = await observe({ redis: nowhere, replicas: 3 })
    assert.match((await one.limiter.check()) ?? '', /^no connection to Redis: .*ECONNREFUSED/)
    for (let number = 0; number < 10; number++)
      assert.equal(await allowedOf(5, [one.limiter], `2001:db8:0:${number}::/64`), 3)
    const refused = await one.limiter.consume('2001:db8:0:a::/64')
    assert.deepEqual([refused.allowed, refused.limit], [false, 30])
    assert(one.decidedBy.every((by) => by === 'fallback'))
  })
})

test('a flood of clients makes the process forget the oldest windows, and no others', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'] })
  const count = createMemoryCounter(1, 60)
  const isRefused = async (key: string) => (await count(key)).consumedPoints > 1
  for (const key of ['first', 'second', 'third']) assert.equal(await isRefused(key), false)
  for (let number = 3; number <= maxWindows; number++) await count(`client ${number}`)
  assert.equal(await isRefused('second'), true)
  assert.equal(await isRefused('first'), false)
  assert.equal(await isRefused('third'), true)
})

test('a request is allowed up to the limit, and told what is left and for how long', () => {
  const policy = { limit: 10, windowSeconds: 60 }
  for (const [used, msLeft, allowed, remaining, resetSeconds] of [
    [9, 40_001, true, 1, 41],
    [5000, 40_000, false, 0, 40],
    [11, 0, false, 0, 1],
    [3, 90_000, true, 7, 60],
    [3, -5_000, true, 7, 0],
  ] as const)
    assert.deepEqual(createDecision(policy, used, msLeft), { allowed, remaining, resetSeconds, ...policy })
  assert.equal(replicaShare(policy, 11).limit, 1)
})
