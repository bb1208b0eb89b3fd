import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { StoreError } from '../../src/store/error.ts'
import { createHealthWatch } from '../../src/store/health-watch.ts'

describe('the health check of a store', () => {
  function watch(probe = async () => {}) {
    const clock = { nowMs: 0 }
    const counted = { probes: 0 }
    const queue = { waiting: 0 }
    const changes: string[] = []
    const health = createHealthWatch({
      probe: () => {
        counted.probes++
        return probe()
      },
      onChange: (changed) => changes.push(changed.ok ? 'ok' : changed.reason),
      leadsWait: () => queue.waiting > 0,
      now: () => clock.nowMs,
    })
    return { health, clock, counted, queue, changes }
  }

  test('reuses one result for a second, learns from commits, and reports each change once', async () => {
    const { health, clock, counted, changes } = watch()
    assert.deepEqual(await Promise.all([health.check(), health.check()]), [{ ok: true }, { ok: true }])
    clock.nowMs = 999
    await health.check()
    assert.equal(counted.probes, 1)
    clock.nowMs = 1_000
    health.failed(new StoreError('ECONNREFUSED', true, 'postgres: ECONNREFUSED'))
    assert.deepEqual(await health.check(), { ok: false, reason: 'postgres: ECONNREFUSED' })
    health.failed(new Error('Pat Example'))
    assert.deepEqual(await health.check(), { ok: false, reason: 'unexpected error' })
    assert.equal(counted.probes, 1)
    clock.nowMs = 2_000
    assert.deepEqual(await health.check(), { ok: true })
    assert.equal(counted.probes, 2)
    assert.deepEqual(changes, ['postgres: ECONNREFUSED', 'ok'])
  })

  test('ignores probes while leads wait after a failed commit, until one succeeds or none wait', async () => {
    const probe = Promise.withResolvers<void>()
    const { health, clock, counted, queue } = watch(() => probe.promise)
    const locked = { ok: false, reason: 'postgres: 55P03 lock timeout' }
    const fail = () => health.failed(new StoreError('55P03', true, locked.reason))
    // A commit that fails during a probe outweighs it.
    const checked = health.check()
    queue.waiting = 1
    fail()
    probe.resolve()
    assert.deepEqual(await checked, locked)
    clock.nowMs = 60_000
    assert.deepEqual(await health.check(), locked)
    assert.equal(counted.probes, 1)
    queue.waiting = 0
    assert.deepEqual(await health.check(), { ok: true })
    assert.equal(counted.probes, 2)
    queue.waiting = 1
    fail()
    health.committed()
    assert.deepEqual(await health.check(), { ok: true })
  })
})
