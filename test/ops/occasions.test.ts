import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createOccasions } from '../../src/ops/occasions.ts'

suite('a frequent event', () => {
  test('is reported the first time, then once a minute with its count', () => {
    const reports: number[] = []
    let nowMs = 0
    const occasions = createOccasions(
      (count) => reports.push(count),
      () => nowMs,
    )
    assert.equal(occasions.recent, 0)
    for (; nowMs < 150_000; nowMs += 1_000) occasions.happened()
    assert.deepEqual(reports, [1, 60, 60])
    assert(occasions.recent > 0)
    nowMs += 60_000
    assert.equal(occasions.recent, 0)
  })
})
