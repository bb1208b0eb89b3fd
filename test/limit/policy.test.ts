import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCeiling } from '../../src/limit/ceiling.ts'
import { createDecision, replicaShare } from '../../src/limit/policy.ts'

const policy = { limit: 10, windowSeconds: 60 }

test('a request is allowed up to the limit, and told what is left and for how long', () => {
  for (const [used, msLeft, allowed, remaining, resetSeconds] of [
    [9, 40_001, true, 1, 41],
    [10, 40_000, true, 0, 40],
    [5000, 40_000, false, 0, 40],
    [11, 0, false, 0, 1],
    [3, 90_000, true, 7, 60],
    [3, -5_000, true, 7, 0],
  ] as const) {
    const decision = { allowed, limit: 10, remaining, resetSeconds, windowSeconds: 60 }
    assert.deepEqual(createDecision(policy, used, msLeft), decision)
  }
})

test('without Redis each replica admits its share, and at least one', () => {
  const shares = [1, 3, 11].map((replicas) => replicaShare(policy, replicas).limit)
  assert.deepEqual(shares, [10, 3, 1])
})

test('the ceiling of all clients is divided among the replicas, for a minute from its first lead', () => {
  const clock = { nowMs: 5_000 }
  const open = (perMinute: number | undefined, replicas: number) =>
    createCeiling(perMinute, replicas, () => clock.nowMs)
  const taken = (ceiling: ReturnType<typeof open>, count: number) =>
    Array.from({ length: count }, () => ceiling.reserve()).filter(Boolean).length
  assert.equal(taken(open(10, 3), 20), 3)
  assert.equal(taken(open(2, 3), 20), 1)
  assert.equal(taken(open(undefined, 3), 1_000), 1_000)

  const ceiling = open(2, 1)
  assert.equal(taken(ceiling, 3), 2)
  clock.nowMs += 59_001
  assert.deepEqual([ceiling.reserve(), ceiling.retryAfterSeconds()], [undefined, 1])
  clock.nowMs += 999
  assert.equal(taken(ceiling, 3), 2)
  assert.equal(ceiling.retryAfterSeconds(), 60)

  // A reservation that created no lead is returned, within its own minute only.
  const other = open(1, 1)
  other.reserve()?.()
  const late = other.reserve()
  assert(late)
  clock.nowMs += 60_000
  assert(other.reserve())
  late()
  assert.equal(other.reserve(), undefined)
})
