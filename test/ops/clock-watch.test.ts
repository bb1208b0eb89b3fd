import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createClockWatch } from '../../src/ops/clock-watch.ts'

suite('the clock of a replica', () => {
  const nowMs = Date.UTC(2026, 10, 21, 9, 30)
  async function compare(databaseMs: number) {
    const heard: [number, boolean][] = []
    const watch = createClockWatch({
      readDatabaseClock: async () => databaseMs,
      now: () => nowMs,
      onSkew: (seconds, isOff) => heard.push([seconds, isOff]),
    })
    await watch.compare(new AbortController().signal)
    return { heard, trouble: watch.trouble }
  }

  test("may differ from the database's by up to a minute", async () => {
    assert.deepEqual(await compare(nowMs - 60_000), { heard: [[60, false]], trouble: undefined })
    assert.deepEqual(await compare(nowMs + 1_500), { heard: [[-1.5, false]], trouble: undefined })
  })

  test('is reported when it differs more, in either direction', async () => {
    assert.deepEqual(await compare(nowMs - 25 * 3_600_000), {
      heard: [[90_000, true]],
      trouble: "clock: 90000 s ahead of the database's",
    })
    assert.deepEqual(await compare(nowMs + 61_000), {
      heard: [[-61, true]],
      trouble: "clock: 61 s behind the database's",
    })
  })
})
