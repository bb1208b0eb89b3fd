import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createCeiling } from '../../src/limit/ceiling.ts'

const clock = { nowMs: 5_000 }
const open = (perMinute: number | undefined, replicas: number) => createCeiling(perMinute, replicas, () => clock.nowMs)

/** How many of this many leads are accepted. */
const taken = (ceiling: ReturnType<typeof open>, count: number) =>
  Array.from({ length: count }, () => ceiling.reserve()).filter(Boolean).length

suite('the ceiling of all clients', () => {
  test('is divided among the replicas, at least one each', () => {
    assert.equal(taken(open(10, 1), 20), 10)
    assert.equal(taken(open(10, 3), 20), 3)
    assert.equal(taken(open(2, 3), 20), 1)
    assert.equal(taken(open(undefined, 3), 1_000), 1_000)
  })

  test('starts a new window a minute after its first lead', () => {
    const ceiling = open(2, 1)
    assert.equal(taken(ceiling, 3), 2)
    clock.nowMs += 59_001
    assert.deepEqual([ceiling.reserve(), ceiling.retryAfterSeconds()], [undefined, 1])
    clock.nowMs += 999
    assert.equal(taken(ceiling, 3), 2)
    assert.equal(ceiling.retryAfterSeconds(), 60)
  })

  test('returns a reservation when no lead was created, within its own minute only', () => {
    const ceiling = open(1, 1)
    const giveBack = ceiling.reserve()
    giveBack?.()
    const late = ceiling.reserve()
    assert(late)
    clock.nowMs += 60_000
    assert(ceiling.reserve())
    late()
    assert.equal(ceiling.reserve(), undefined)
  })
})
