import assert from 'node:assert/strict'
import { once } from 'node:events'
import { suite, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createSchedule, type Task } from '../../src/app/schedule.ts'
import { LeadError } from '../../src/lead/error.ts'
import { StoreError } from '../../src/store/error.ts'

/** The pause between two rounds, in milliseconds. */
const everyMs = 600_000

function setUp(tasks: Record<string, Task>) {
  const done: [string, number][] = []
  const errors: [string, unknown][] = []
  const upkeep = createSchedule({
    tasks,
    everyMs,
    onDone: (...report) => done.push(report),
    onError: (...report) => errors.push(report),
  })
  return { upkeep, done, errors }
}

suite('upkeep', () => {
  test('a failed task is reported, does not stop others, and is retried after the pause', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const failure = new Error('away')
    let rounds = 0
    const { upkeep, done, errors } = setUp({
      prune: () => Promise.reject(failure),
      async retention() {
        return ++rounds
      },
    })
    upkeep.start()
    await turn()
    t.mock.timers.tick(everyMs - 1)
    await turn()
    assert.deepEqual([rounds, errors], [1, [['prune', failure]]])
    t.mock.timers.tick(1)
    await turn()
    assert.deepEqual([done.flat(), errors.length], [['retention', 1, 'retention', 2], 2])
    await upkeep.stop()
    t.mock.timers.tick(everyMs)
    await turn()
    assert.equal(rounds, 2)
  })

  test('a task that failed because the database was away goes on within seconds', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const away = new StoreError('57P01', true, 'postgres: 57P01')
    const failures = [away, new LeadError('inbox_unavailable', 'Away.', { cause: away })]
    const { upkeep, done } = setUp({
      async retention() {
        const failure = failures.shift()
        if (failure) throw failure
        return 1
      },
    })
    upkeep.start()
    for (let round = 1; round <= 2; round++) {
      await turn()
      t.mock.timers.tick(15_000)
    }
    await turn()
    assert.deepEqual(done, [['retention', 1]])
    await upkeep.stop()
  })

  test('on stop, aborts and awaits the running task and starts no other', async () => {
    const { upkeep, done } = setUp({
      async slow(signal) {
        await once(signal, 'abort')
        await turn()
        return 3
      },
      next: () => assert.fail('began'),
    })
    upkeep.start()
    await upkeep.stop()
    assert.deepEqual(done, [['slow', 3]])
  })
})
