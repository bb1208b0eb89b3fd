import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { StoreError } from '../../src/store/error.ts'
import { createHealthWatch } from '../../src/store/health.ts'

describe('the health of a store', () => {
  function watch(probe: (effort: string) => Promise<void> = async () => {}) {
    const clock = { nowMs: 0 }
    const counted = { probes: 0 }
    const queue = { waiting: 0 }
    const changes: string[] = []
    const health = createHealthWatch({
      probe: (effort) => {
        counted.probes++
        return probe(effort)
      },
      onChange: (changed) => changes.push(changed.ok ? 'ok' : changed.reason),
      leadsWait: () => queue.waiting > 0,
      now: () => clock.nowMs,
    })
    return { health, clock, counted, queue, changes }
  }

  test('one answer serves everyone for a second', async () => {
    const { health, clock, counted } = watch()
    assert.deepEqual(await Promise.all([health.check(), health.check()]), [{ ok: true }, { ok: true }])
    clock.nowMs = 999
    await health.check()
    assert.equal(counted.probes, 1)
    clock.nowMs = 1_000
    await health.check()
    assert.equal(counted.probes, 2)
  })

  test('a failing probe is named by its code, and a later one that succeeds is believed', async () => {
    let full = true
    const { health, clock } = watch(async () => {
      if (full) throw new StoreError('53100', true, 'postgres: 53100 disk full')
    })
    assert.deepEqual(await health.check(), { ok: false, reason: 'postgres: 53100 disk full' })
    full = false
    clock.nowMs = 1_000
    assert.deepEqual(await health.check(), { ok: true })
  })

  test('a probe that does not answer is given up within a second', async () => {
    const { health } = watch(() => new Promise(() => {}))
    const startedMs = performance.now()
    assert.deepEqual(await health.check(), { ok: false, reason: 'no answer within 900 ms' })
    assert.ok(performance.now() - startedMs < 1_000)
  })

  test('commits tell as well as probes: a busy store is not probed', async () => {
    const { health, clock, counted } = watch()
    health.committed()
    assert.deepEqual(await health.check(), { ok: true })
    health.failed(new StoreError('ECONNREFUSED', true, 'postgres: ECONNREFUSED'))
    assert.deepEqual(await health.check(), { ok: false, reason: 'postgres: ECONNREFUSED' })
    assert.equal(counted.probes, 0)
    clock.nowMs = 1_000
    assert.deepEqual(await health.check(), { ok: true })
    assert.equal(counted.probes, 1)
  })

  test('while leads wait after a failed commit, no probe overrules it: only a commit that succeeds does', async () => {
    const { health, clock, counted, queue } = watch()
    const locked = { ok: false, reason: 'postgres: 55P03 lock timeout' }
    queue.waiting = 1
    health.failed(new StoreError('55P03', true, locked.reason))
    clock.nowMs = 60_000
    assert.deepEqual(await health.check(), locked)
    assert.equal(counted.probes, 0)
    health.committed()
    assert.deepEqual(await health.check(), { ok: true })
  })

  test('a commit that fails during a probe outweighs it', async () => {
    const probe = Promise.withResolvers<void>()
    const { health, queue } = watch(() => probe.promise)
    const checked = health.check()
    queue.waiting = 1
    health.failed(new StoreError('55P03', true, 'postgres: 55P03'))
    probe.resolve()
    assert.deepEqual(await checked, { ok: false, reason: 'postgres: 55P03' })
  })

  test('once nobody waits any more, the probe decides again', async () => {
    const { health, clock, queue } = watch()
    queue.waiting = 1
    health.failed(new StoreError('55P03', true, 'postgres: 55P03'))
    queue.waiting = 0
    clock.nowMs = 1_000
    assert.deepEqual(await health.check(), { ok: true })
  })

  test('after a failed commit a probe needs as much space as leads do, until one succeeds', async () => {
    const efforts: string[] = []
    let full = true
    const { health, clock, queue } = watch(async (effort) => {
      efforts.push(effort)
      if (full && effort === 'thorough') throw new StoreError('53100', true, 'postgres: 53100 disk full')
    })
    await health.check()
    queue.waiting = 1
    health.failed(new StoreError('53100', true, 'postgres: 53100 disk full'))
    queue.waiting = 0
    for (let second = 1; second <= 4; second++) {
      clock.nowMs = second * 1_000
      full = second < 3
      assert.deepEqual((await health.check()).ok, !full)
    }
    assert.deepEqual(efforts, ['small', 'thorough', 'thorough', 'thorough', 'small'])
  })

  test('tells once that leads cannot be stored, and once that they can be again', async () => {
    const { health, clock, changes } = watch()
    await health.check()
    for (const code of ['ECONNREFUSED', '57P03']) health.failed(new StoreError(code, true, `postgres: ${code}`))
    clock.nowMs = 1_000
    await health.check()
    health.committed()
    assert.deepEqual(changes, ['postgres: ECONNREFUSED', 'ok'])
  })

  test('an error of unknown origin is not quoted', async () => {
    const { health } = watch(() => Promise.reject(new Error('Pat Example')))
    assert.deepEqual(await health.check(), { ok: false, reason: 'unexpected error' })
  })
})
