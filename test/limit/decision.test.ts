import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCeiling } from '../../src/limit/ceiling.ts'
import { createDecision, networkPolicy, replicaShare, tighter } from '../../src/limit/decision.ts'

const policy = { limit: 10, windowSeconds: 60 }

test('a request is allowed up to the limit, and told what is left and for how long', () => {
  for (const [used, msLeft, allowed, remaining, resetSeconds] of [
    [1, 60_000, true, 9, 60],
    [9, 40_001, true, 1, 41],
    [10, 40_000, true, 0, 40],
    [11, 40_000, false, 0, 40],
    [5000, 1, false, 0, 1],
    [11, 0, false, 0, 1],
    [3, 90_000, true, 7, 60],
    [3, -5_000, true, 7, 0],
  ] as const) {
    const decision = { allowed, limit: 10, remaining, resetSeconds, windowSeconds: 60 }
    assert.deepEqual(createDecision(policy, used, msLeft), decision)
  }
})

test('without Redis each replica admits its share, and at least one', () => {
  for (const [replicas, limit] of [
    [1, 10],
    [3, 3],
    [11, 1],
  ] as const)
    assert.deepEqual(replicaShare(policy, replicas), { limit, windowSeconds: 60 })
})

test('a network may send ten times as many as a client, and the counter with less left is shown', () => {
  assert.deepEqual(networkPolicy(policy), { limit: 100, windowSeconds: 60 })
  for (const [clientUsed, networkUsed, shown] of [
    [1, 91, 'client'],
    [1, 92, 'network'],
    [10, 100, 'client'],
    [10, 101, 'network'],
  ] as const) {
    const client = createDecision(policy, clientUsed, 1)
    const network = createDecision(networkPolicy(policy), networkUsed, 1)
    assert.equal(tighter(client, network), { client, network }[shown])
  }
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
