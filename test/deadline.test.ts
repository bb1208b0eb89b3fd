import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createDeadlines } from '../src/deadline.ts'

const tooLate = () => new Error('too late')

/** Blocks the event loop, like a long garbage collection. */
function block(ms: number) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe('deadlines', () => {
  test('an answer in time resolves the race', async () => {
    const deadlines = createDeadlines(1_000)
    assert.equal(await deadlines.race(Promise.resolve('answer'), tooLate), 'answer')
  })

  test('a failure in time rejects the race', async () => {
    const deadlines = createDeadlines(1_000)
    await assert.rejects(deadlines.race(Promise.reject(new Error('refused')), tooLate), /refused/)
  })

  test('a promise that never settles is abandoned after the timeout, not earlier', async () => {
    const deadlines = createDeadlines(40)
    const startedMs = performance.now()
    await assert.rejects(deadlines.race(new Promise(() => {}), tooLate), /too late/)
    const tookMs = performance.now() - startedMs
    assert.ok(tookMs >= 39, `took ${tookMs} ms`)
  })

  test('each deadline keeps its own time, however many run', async () => {
    const deadlines = createDeadlines(60)
    const passed: number[] = []
    const started = Array.from({ length: 5 }, () => [] as number[]).map(async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 15))
      const startedMs = performance.now()
      await new Promise<void>((resolve) => deadlines.start(resolve))
      passed.push(index)
      return performance.now() - startedMs
    })
    for (const tookMs of await Promise.all(started)) assert.ok(tookMs >= 59, `took ${tookMs} ms`)
    assert.deepEqual(passed, [0, 1, 2, 3, 4])
  })

  test('a canceled deadline never fires, whichever of several it is', async () => {
    const deadlines = createDeadlines(20)
    const passed: string[] = []
    const started = ['first', 'middle', 'last'].map((name) => deadlines.start(() => passed.push(name)))
    await new Promise<void>((resolve) => {
      deadlines.start(resolve)
      for (const deadline of started) deadline.cancel()
      started[1]?.cancel()
    })
    assert.deepEqual(passed, [])
  })

  test('canceling a deadline that has fired does not affect the others', async () => {
    const deadlines = createDeadlines(10)
    const first = await new Promise<{ cancel(): void }>((resolve) => {
      const deadline = deadlines.start(() => resolve(deadline))
    })
    const second = new Promise<void>((resolve) => deadlines.start(resolve))
    first.cancel()
    await second
  })

  test('a deadline may be started from the callback of another', async () => {
    const deadlines = createDeadlines(10)
    await new Promise<void>((resolve) => deadlines.start(() => deadlines.start(resolve)))
  })

  test('an answer that arrives while the event loop is blocked past the deadline still counts', async () => {
    const deadlines = createDeadlines(20)
    const { promise, resolve } = Promise.withResolvers<string>()
    const { port1, port2 } = new MessageChannel()
    port1.once('message', resolve)
    const raced = deadlines.race(promise, tooLate)
    port2.postMessage('answer')
    block(60)
    assert.equal(await raced, 'answer')
    port1.close()
  })
})
