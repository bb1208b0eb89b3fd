import type { ContestantName } from '../contestants.ts'
import { estimateRatio, type Figures } from '../measure/estimate.ts'
import type { WorkloadName } from '../workloads.ts'
import { hasSamples, type Results, samplesOf } from './results.ts'

type Goal = [
  title: string,
  workload: WorkloadName,
  figure: keyof Figures,
  against: ContestantName,
  bound: { atLeast: number } | { atMost: number },
]

/** The goals of the service, each as a ratio to another server in the same run. */
const goals: readonly Goal[] = [
  ['server CPU a REST submission', 'submit', 'serverCpu', 'raw-io', { atMost: 1.9 }],
  ['all CPU a REST submission', 'submit', 'allCpu', 'fastify', { atMost: 0.8 }],
  ['REST submissions a second', 'submit', 'perSecond', 'fastify', { atLeast: 1.2 }],
  ['PostgreSQL CPU a REST submission', 'submit', 'postgresCpu', 'raw-io', { atMost: 2.3 }],
  ['p99, 64 in flight', 'submit', 'p99', 'fastify', { atMost: 1 }],
  ['p99, 4 in flight', 'submit-4', 'p99', 'fastify', { atMost: 2 }],
  ['CPU of a gRPC call', 'grpc', 'serverCpu', 'connect', { atMost: 0.65 }],
  ['CPU of a Connect JSON call', 'connect-json', 'serverCpu', 'connect', { atMost: 0.65 }],
  ['CPU of a refusal', 'refuse', 'serverCpu', 'bare-koa', { atMost: 1.3 }],
  ['CPU of a document, 200', 'document', 'serverCpu', 'bare-koa', { atMost: 1.3 }],
  ['CPU of a document, 304', 'document-304', 'serverCpu', 'bare-koa', { atMost: 1.3 }],
]

/** The maximum start time as a ratio to the yardstick's, and the maximum idle memory in MiB. */
const startGoals = { ratio: 1.5, idleMebibytes: 90 }

/** The maximum time that a single request may block the event loop (docs/specification.md §11), in milliseconds. */
const stallMaxMs = 5

const mark = (reached: boolean) => (reached ? 'reached' : 'MISSED ')

/** One line for each goal: whether the run reached it, and the measured value. A goal against a server left out is skipped. */
export function renderGoals(results: Results): string {
  const lines = goals.map(([title, workload, figure, against, bound]) => {
    const [contestant] = results.cells.filter(
      (cell) => cell.workload === workload && cell.contestant.startsWith('lead'),
    )
    const wanted = 'atLeast' in bound ? `at least ${bound.atLeast}` : `at most ${bound.atMost}`
    if (!contestant || !hasSamples(results, workload, against)) return `skipped ${title} (goal: ${wanted} × ${against})`
    const ratio = estimateRatio(figure, contestant.samples, samplesOf(results, workload, against))
    const reached = 'atLeast' in bound ? ratio >= bound.atLeast : ratio <= bound.atMost
    return `${mark(reached)} ${title}: ${ratio.toFixed(2)} × ${against} (goal: ${wanted})`
  })
  const { 'lead-intake': start, 'raw-io': yardstick } = results.starts
  if (start && yardstick) {
    const ratio = start.firstAnswerMs / yardstick.firstAnswerMs
    lines.push(
      `${mark(ratio <= startGoals.ratio)} start to first answer: ${ratio.toFixed(2)} × raw-io (goal: at most ${startGoals.ratio})`,
      `${mark(start.idleMebibytes <= startGoals.idleMebibytes)} idle memory: ${start.idleMebibytes.toFixed(0)} MiB (goal: at most ${startGoals.idleMebibytes})`,
    )
  }
  const [worst] = results.stalls?.worst ?? []
  if (worst)
    lines.push(
      `${mark(worst.ms <= stallMaxMs)} event loop kept by any single request: ${worst.ms.toFixed(2)} ms, ${worst.what} (goal: at most ${stallMaxMs})`,
    )
  return lines.join('\n')
}
