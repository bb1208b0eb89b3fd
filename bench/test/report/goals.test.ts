import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContestantName } from '../../contestants.ts'
import { renderGoals } from '../../report/goals.ts'
import type { Results } from '../../report/results.ts'
import { type WorkloadName, workloads } from '../../workloads.ts'
import { createCell, createResults, createSample } from './sample-results.ts'

/** A run of all servers, in which each counted this many answers. */
function run(counts: Partial<Record<ContestantName, number>>): Results {
  return createResults(
    (Object.keys(workloads) as WorkloadName[]).flatMap((workload) =>
      workloads[workload].contestants.map((contestant) =>
        createCell(workload, contestant, createSample(counts[contestant] ?? 1_000)),
      ),
    ),
  )
}

test('gRPC submissions are compared with the peer in Go', () => {
  const goal = /^(\S+) +gRPC submissions\/s: (.+)$/m
  assert.deepEqual(goal.exec(renderGoals(run({ 'lead-intake-repeats': 860 })))?.slice(1), [
    'reached',
    '0.86 × go (goal: at least 0.85)',
  ])
  assert.deepEqual(goal.exec(renderGoals(run({ 'lead-intake-repeats': 840 })))?.slice(1), [
    'MISSED',
    '0.84 × go (goal: at least 0.85)',
  ])
})

test('without the peer in Go, only its goal is skipped', () => {
  const results = run({})
  const [all, some] = [
    renderGoals(results),
    renderGoals({ ...results, cells: results.cells.filter(({ contestant }) => contestant !== 'go') }),
  ]
  assert.match(some, /^skipped gRPC submissions\/s: go was left out \(goal: at least 0\.85\)$/m)
  const others = (text: string) => text.split('\n').filter((line) => !line.includes('gRPC submissions/s'))
  assert.deepEqual(others(some), others(all))
})
