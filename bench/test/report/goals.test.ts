import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContestantName } from '../../contestants.ts'
import type { Sample } from '../../measure/sample.ts'
import { renderGoals } from '../../report/goals.ts'
import type { Cell, Results } from '../../report/results.ts'
import { type WorkloadName, workloads } from '../../workloads.ts'

function sample(counted: number): Sample {
  return { counted, rows: counted, seconds: 1, p50: 1, p99: 2, cpu: { server: 1, postgres: 1, redis: 0 } }
}

/** A run of all servers, in which each counted this many answers. */
function run(counts: Partial<Record<ContestantName, number>>): Results {
  const cells = (Object.keys(workloads) as WorkloadName[]).flatMap((workload): Cell[] =>
    workloads[workload].contestants.map((contestant) => ({
      workload,
      contestant,
      samples: [sample(counts[contestant] ?? 1_000)],
    })),
  )
  return {
    takenAt: '2026-11-21T00:00:00.000Z',
    mode: 'quick',
    machine: { cpu: 'test', cores: 2, node: 'v26', redis: '7', postgres: '15', loadAverage: 0 },
    durability: { settings: {}, fileSystem: 'ext4', fdatasyncMs: 1 },
    secondsPerRound: 1,
    cells,
    starts: {},
  }
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
