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
  async function check(atMs: number, expected: object, expectedProbes: number) {
    nowMs = atMs
    assert.deepEqual(await Promise.all([health.check(), health.check()]), [expected, expected])
    assert.equal(probes, expectedProbes)
  }

  await check(0, { ok: true }, 1)
  await check(999, { ok: true }, 1)
  fail()
  await check(4_998, refused, 1)
  await check(4_999, { ok: true }, 2)
  health.failed(new Error('Pat Example'))
  await check(5_000, { ok: false, reason: 'unexpected error' }, 2)
  health.committed()
  await check(5_001, { ok: true }, 2)
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
