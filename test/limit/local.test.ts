import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { MemoryLimiter, windowsMax } from '../../src/limit/limiter.ts'
import { allowedOf, limiterContract, observe } from './limiters.ts'

limiterContract('one process', () => observe())

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
  assert.equal(await one.limiter.findTrouble(), undefined)
  assert(one.decidedBy.every((by) => by === 'local'))
})

test('a refusal waits at least one second, even in the last millisecond of a window', async (t) => {
  await using one = await observe()
  t.mock.method(RateLimiterMemory.prototype, 'consume', () => Promise.reject(new RateLimiterRes(0, 0, 11, false)))
  const { allowed, resetSeconds } = await one.limiter.consume('192.0.2.1')
  assert.deepEqual([allowed, resetSeconds], [false, 1])
})

test('a flood of clients makes the process forget the oldest windows, and no others', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'] })
  const counter = new MemoryLimiter({ points: 1, duration: 60 })
  const isRefused = async (key: string) => (await counter.consume(key)).consumedPoints > 1
  for (const key of ['first', 'second', 'third']) assert.equal(await isRefused(key), false)
  for (let number = 3; number <= windowsMax; number++) await counter.consume(`client ${number}`)
  assert.equal(await isRefused('second'), true)
  assert.equal(await isRefused('first'), false)
  assert.equal(await isRefused('third'), true)
})
