import assert from 'node:assert/strict'
import { test } from 'node:test'
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
