import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreError } from '../../src/store/error.ts'
import { createHealthWatch } from '../../src/store/health-watch.ts'

test('the health of a store: a result counts for a second, a failed commit until the next one is due', async () => {
  let nowMs = 0
  let probes = 0
  let probed = Promise.resolve()
  const probe = () => {
    probes++
    return probed
  }
  const changes: string[] = []
  const health = createHealthWatch(
    probe,
    (changed) => changes.push(changed.ok ? 'ok' : changed.reason),
    () => nowMs,
  )
  const refused = { ok: false, reason: 'postgres: ECONNREFUSED' }
  const fail = () => health.failed(new StoreError('ECONNREFUSED', true, refused.reason))
  /** How many probes the check took. */
  async function check(expected: object, atMs: number) {
    nowMs = atMs
    const before = probes
    assert.deepEqual(await Promise.all([health.check(), health.check()]), [expected, expected])
    return probes - before
  }

  assert.equal(await check({ ok: true }, 0), 1)
  assert.equal(await check({ ok: true }, 999), 0)
  fail()
  assert.equal(await check(refused, 4_998), 0)
  assert.equal(await check({ ok: true }, 4_999), 1)
  health.failed(new Error('Pat Example'))
  assert.equal(await check({ ok: false, reason: 'unexpected error' }, 5_000), 0)
  health.committed()
  assert.equal(await check({ ok: true }, 5_001), 0)
  // A commit that fails during a probe outweighs it.
  const slow = Promise.withResolvers<void>()
  probed = slow.promise
  nowMs = 9_000
  const checked = health.check()
  fail()
  slow.resolve()
  assert.deepEqual(await checked, refused)
  assert.deepEqual(changes, [refused.reason, 'ok', 'unexpected error', 'ok', refused.reason])
})
