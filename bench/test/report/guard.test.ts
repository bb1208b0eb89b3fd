import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareWithCommitted } from '../../report/guard.ts'
import type { Results } from '../../report/results.ts'
import { createCell, createResults, createSample } from './sample-results.ts'

/** A run in which a submission cost these CPU seconds a thousand. */
function run(rawIo: number, ours: number): Results {
  return createResults([
    createCell('submit', 'raw-io', createSample(1_000, rawIo)),
    createCell('submit', 'lead-intake', createSample(1_000, ours)),
  ])
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
