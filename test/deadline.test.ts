import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createDeadlines } from '../src/deadline.ts'

const tooLate = () => new Error('too late')

suite('a deadline', () => {
  test('abandons what never settles, and nothing that has settled', async () => {
    const deadlines = createDeadlines(20)
    await assert.rejects(deadlines.race(new Promise(() => {}), tooLate), /too late/)
    await assert.rejects(deadlines.race(Promise.reject(new Error('refused')), tooLate), /refused/)
    assert.equal(await deadlines.race(Promise.resolve('answer'), tooLate), 'answer')
  })

  test('does not pass while an answer waits that arrived while the event loop was blocked', async () => {
    const deadlines = createDeadlines(20)
    const { promise, resolve } = Promise.withResolvers<string>()
    const { port1, port2 } = new MessageChannel()
    port1.once('message', resolve)
    const raced = deadlines.race(promise, tooLate)
    port2.postMessage('answer')
    const end = performance.now() + 60
    while (performance.now() < end);
    assert.equal(await raced, 'answer')
    port1.close()
  })
})
