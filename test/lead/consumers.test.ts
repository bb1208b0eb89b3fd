import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConsumers, type Lag } from '../../src/lead/consumers.ts'
import { until } from '../support/until.ts'
import { setUpInbox } from './inbox-fixture.ts'

test('a consumer that disconnects is reported with its lag', async () => {
  const { store, clock } = setUpInbox(3)
  const left: [string, Lag | undefined][] = []
  const consumers = createConsumers({
    reader: store,
    now: () => clock.nowMs,
    onLeft: (...facts) => left.push(facts),
  })
  const close = consumers.open('crm', () => 1)
  close()
  close()
  await until('word of it', () => left.length > 0)
  assert.deepEqual(
    left.map(([consumer, lag]) => [consumer, lag?.leads]),
    [['crm', 2]],
  )
})
