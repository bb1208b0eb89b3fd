import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settleWithin } from '../src/deadline.ts'

test('a deadline does not pass while an answer waits that arrived while the event loop was blocked', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { port1, port2 } = new MessageChannel()
  port1.once('message', resolve)
  const raced = settleWithin(20, promise, () => new Error('too late'))
  port2.postMessage('answer')
  const end = performance.now() + 60
  while (performance.now() < end);
  assert.equal(await raced, 'answer')
  port1.close()
})
