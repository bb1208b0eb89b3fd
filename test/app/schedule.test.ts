import assert from 'node:assert/strict'
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
  test('reports a failed task, runs the others, and goes on after the pause, or within seconds of an outage', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const away = new StoreError('57P01', true, 'postgres: 57P01')
    const failures = [away, new LeadError('inbox_unavailable', { cause: away }), new Error('a fault')]
    const left = [...failures]
    const { upkeep, done, errors } = setUp({
      async prune() {
        if (left.length > 0) throw left.shift()
        return 0
      },
      retention: async () => 1,
    })
    upkeep.start()
    for (const [pauseMs, rounds] of [
      [0, 1],
      [15_000, 2],
      [15_000, 3],
      [everyMs - 1, 3],
      [1, 4],
    ] as const) {
      t.mock.timers.tick(pauseMs)
      await turn()
      assert.deepEqual(done, Array(rounds).fill(['retention', 1]))
    }
    const reported = failures.map((failure) => ['prune', failure])
    assert.deepEqual(errors, reported)
    await upkeep.stop()
    t.mock.timers.tick(everyMs)
    await turn()
    assert.equal(done.length, 4)
  })
})
