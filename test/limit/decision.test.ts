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

for (const [used, msLeft, allowed, remaining, resetSeconds] of cases) {
  test(`request ${used} with ${msLeft} ms to go is ${allowed ? 'allowed' : 'refused'}: ${remaining} left, reset in ${resetSeconds} s`, () => {
    const decision = { allowed, limit: 10, remaining, resetSeconds, windowSeconds: 60 }
    assert.deepEqual(createDecision(policy, { used, msLeft }), decision)
  })
}

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

const shares: [limit: number, replicas: number, expected: number][] = [
  [10, 1, 10],
  [10, 3, 3],
  [10, 10, 1],
  [10, 11, 1],
  [1, 2, 1],
]

for (const [limit, replicas, expected] of shares) {
  test(`without Redis each of ${replicas} replicas admits ${expected} of ${limit}`, () => {
    assert.deepEqual(replicaShare({ limit, windowSeconds: 60 }, replicas), { limit: expected, windowSeconds: 60 })
  })
}

test('a network may send ten times as many as a client in the same window', () => {
  assert.deepEqual(networkPolicy(policy), { limit: 100, windowSeconds: 60 })
})

const pairs: [clientUsed: number, networkUsed: number, counts: 'client' | 'network'][] = [
  [1, 91, 'client'],
  [1, 92, 'network'],
  [10, 100, 'client'],
  [10, 101, 'network'],
]

for (const [clientUsed, networkUsed, counts] of pairs) {
  test(`request ${clientUsed} of a client and ${networkUsed} of its network: the ${counts}'s numbers count`, () => {
    const client = createDecision(policy, { used: clientUsed, msLeft: 1 })
    const network = createDecision(networkPolicy(policy), { used: networkUsed, msLeft: 1 })
    assert.equal(tighter(client, network), { client, network }[counts])
  })
}
