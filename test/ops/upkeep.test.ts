import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createUpkeep, type UpkeepTask } from '../../src/ops/upkeep.ts'

function setUp(tasks: Record<string, UpkeepTask>, everyMs = 600_000) {
  const done: [string, number][] = []
  const errors: [string, unknown][] = []
  const upkeep = createUpkeep({
    tasks,
    everyMs,
    onDone: (...report) => done.push(report),
    onError: (...report) => errors.push(report),
  })
  return { upkeep, done, errors }
}

suite('upkeep', () => {
  test('runs every task at the start, and reports what was done', async () => {
    const { upkeep, done } = setUp({ prune: async () => 7, retention: async () => 0 })
    upkeep.start()
    await upkeep.stop()
    assert.deepEqual(done, [['prune', 7]])
  })

  test('a failed task is reported, does not stop others, and is retried', async () => {
    const failure = new Error('away')
    let rounds = 0
    const second = Promise.withResolvers<void>()
    const { upkeep, errors } = setUp(
      {
        prune: () => Promise.reject(failure),
        async retention() {
          if (++rounds === 2) second.resolve()
          return 0
        },
      },
      1,
    )
    upkeep.start()
    await second.promise
    await upkeep.stop()
    assert.deepEqual(errors.slice(0, 2), [
      ['prune', failure],
      ['prune', failure],
    ])
  })

  test('on stop, aborts and awaits the running task and starts no other', async () => {
    const { upkeep, done } = setUp({
      async slow(signal) {
        while (!signal.aborted) await delay(1)
        return 3
      },
      next: () => assert.fail('began'),
    })
    upkeep.start()
    await delay(5)
    await upkeep.stop()
    assert.deepEqual(done, [['slow', 3]])
  })
})
