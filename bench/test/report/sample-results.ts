import type { ContestantName } from '../../contestants.ts'
import type { Sample } from '../../measure/sample.ts'
import type { Cell, Results } from '../../report/results.ts'
import type { WorkloadName } from '../../workloads.ts'

/** One round: so many answers in a second, for so many seconds of the server's CPU. */
export function createSample(counted: number, serverSeconds = 1): Sample {
  return {
    counted,
    rows: counted,
    seconds: 1,
    p50: 1,
    p99: 2,
    cpu: { server: serverSeconds, postgres: 1, redis: 0 },
  }
}

/** One round of one server. */
export function createCell(workload: WorkloadName, contestant: ContestantName, sample: Sample): Cell {
  return { workload, contestant, samples: [sample] }
}

/** A run with these cells. */
export function createResults(cells: Cell[]): Results {
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
