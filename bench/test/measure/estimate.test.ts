import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimate, estimateRatio, median } from '../../measure/estimate.ts'
import type { Sample } from '../../measure/sample.ts'

function sample(counted: number, serverSeconds: number): Sample {
  const cpu = { server: serverSeconds, postgres: 1, redis: 0.5 }
  return { counted, rows: counted, seconds: 2, p50: 1, p99: 5, cpu }
}

test('the median is the middle value, or the mean of the two in the middle', () => {
  assert.equal(median([5, 1, 9]), 5)
  assert.equal(median([4, 1, 9, 2]), 3)
})

test('CPU is given in seconds per 1,000 answers that count, throughput per second', () => {
  const figures = estimate([sample(2_000, 4), sample(4_000, 4), sample(8_000, 4)])
  assert.deepEqual(figures, { perSecond: 2_000, p50: 1, p99: 5, serverCpu: 1, postgresCpu: 0.25, redisCpu: 0.125 })
})

test('a ratio compares servers round by round, so that a slow minute of the machine cancels', () => {
  const yardstick = [sample(1_000, 1), sample(500, 2), sample(100, 4)]
  const other = [sample(500, 1), sample(250, 2), sample(50, 4)]
  assert.equal(estimateRatio('perSecond', other, yardstick), 0.5)
  assert.equal(estimateRatio('serverCpu', other, yardstick), 2)
})
