import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createDecision, networkPolicy, replicaShare, tighter } from '../../src/limit/decision.ts'

const policy = { limit: 10, windowSeconds: 60 }

const cases: [used: number, msLeft: number, allowed: boolean, remaining: number, resetSeconds: number][] = [
  [1, 60_000, true, 9, 60],
  [2, 59_999, true, 8, 60],
  [9, 40_001, true, 1, 41],
  [10, 40_000, true, 0, 40],
  [11, 40_000, false, 0, 40],
  [5000, 1, false, 0, 1],
  [10, 0, true, 0, 0],
  [11, 0, false, 0, 1],
  [3, 90_000, true, 7, 60],
]

test('a request is allowed up to the limit, and told what is left and for how long', () => {
  for (const [used, msLeft, allowed, remaining, resetSeconds] of cases) {
    const decision = { allowed, limit: 10, remaining, resetSeconds, windowSeconds: 60 }
    assert.deepEqual(createDecision(policy, { used, msLeft }), decision)
  }
})

test('the numbers stay within their ranges for any counter value', () => {
  const anyPolicy = fc.record({
    limit: fc.integer({ min: 1, max: 1e6 }),
    windowSeconds: fc.integer({ min: 1, max: 86_400 }),
  })
  const usage = fc.record({
    used: fc.integer({ min: 1, max: 1e9 }),
    msLeft: fc.double({ min: -1e6, max: 1e9, noNaN: true }),
  })
  fc.assert(
    fc.property(anyPolicy, usage, (policy, usage) => {
      const { allowed, remaining, resetSeconds } = createDecision(policy, usage)
      assert.equal(allowed, usage.used <= policy.limit)
      assert.equal(remaining, Math.max(0, policy.limit - usage.used))
      assert.ok(Number.isInteger(resetSeconds) && resetSeconds <= policy.windowSeconds)
      assert.ok(resetSeconds >= (allowed ? 0 : 1))
    }),
  )
})

test('without Redis each replica admits its share, and at least one', () => {
  for (const [limit, replicas, expected] of [
    [10, 1, 10],
    [10, 3, 3],
    [10, 10, 1],
    [10, 11, 1],
    [1, 2, 1],
  ] as const)
    assert.deepEqual(replicaShare({ limit, windowSeconds: 60 }, replicas), { limit: expected, windowSeconds: 60 })
})

test('a network may send ten times as many as a client, and the counter with less left is shown', () => {
  assert.deepEqual(networkPolicy(policy), { limit: 100, windowSeconds: 60 })
  for (const [clientUsed, networkUsed, shown] of [
    [1, 91, 'client'],
    [1, 92, 'network'],
    [10, 100, 'client'],
    [10, 101, 'network'],
  ] as const) {
    const client = createDecision(policy, { used: clientUsed, msLeft: 1 })
    const network = createDecision(networkPolicy(policy), { used: networkUsed, msLeft: 1 })
    assert.equal(tighter(client, network), { client, network }[shown])
  }
})
