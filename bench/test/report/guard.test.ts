import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sample } from '../../measure/sample.ts'
import { compareWithCommitted } from '../../report/guard.ts'
import type { Results } from '../../report/results.ts'

function sample(serverSeconds: number): Sample {
  return {
    counted: 1_000,
    rows: 1_000,
    seconds: 1,
    p50: 1,
    p99: 2,
    cpu: { server: serverSeconds, postgres: 0, redis: 0 },
  }
}

/** A run in which a submission cost these CPU seconds a thousand. */
function run(rawIo: number, ours: number): Results {
  return {
    takenAt: '2026-11-21T00:00:00.000Z',
    mode: 'guard',
    machine: { cpu: 'test', cores: 2, node: 'v26', redis: '7', postgres: '15', loadAverage: 0 },
    durability: { settings: {}, fileSystem: 'ext4', fdatasyncMs: 1 },
    secondsPerRound: 1,
    cells: [
      { workload: 'submit', contestant: 'raw-io', samples: [sample(rawIo)] },
      { workload: 'submit', contestant: 'lead-intake', samples: [sample(ours)] },
    ],
    starts: {},
  }
}

test('the guard passes when the machine is slower and the ratio is the same', () => {
  const { passed, text } = compareWithCommitted(run(2, 3), run(1, 1.5))
  assert.equal(passed, true)
  assert.match(text, /1\.50 × raw-io, committed 1\.50 \(\+0 %\)/)
})

test('the guard lets 14 % pass and stops 16 %', () => {
  assert.equal(compareWithCommitted(run(1, 1.14), run(1, 1)).passed, true)
  const { passed, text } = compareWithCommitted(run(1, 1.16), run(1, 1))
  assert.equal(passed, false)
  assert.match(text, /BEYOND/)
})
