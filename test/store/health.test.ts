import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreError } from '../../src/store/database.ts'
import { createHealthWatch } from '../../src/store/health-watch.ts'

// test/e2e/ops.test.ts and test/store/sqlite.test.ts show the rest.
test('a commit that fails during a probe of the database outweighs it, and is shown without its data', async () => {
  for (const [error, reason] of [
    [new StoreError('ECONNREFUSED', true, 'postgres: ECONNREFUSED'), 'postgres: ECONNREFUSED'],
    [new Error('Pat Example'), 'unexpected error'],
  ] as const) {
    const probe = Promise.withResolvers<void>()
    const health = createHealthWatch(() => probe.promise)
    const checked = health.check()
    health.failed(error)
    probe.resolve()
    assert.deepEqual(await checked, { ok: false, reason })
  }
})
