import type { ContestantName } from '../contestants.ts'
import { estimateRatio, type Figures } from '../measure/estimate.ts'
import type { WorkloadName } from '../workloads.ts'
import { hasSamples, type Results, samplesOf } from './results.ts'

interface Goal {
  title: string
  workload: WorkloadName
  figure: keyof Figures
  contestant: ContestantName
  against: ContestantName
  atLeast?: number
  atMost?: number
}

const us = 'lead-intake'

/** The goals of the service, each as a ratio to another server in the same run. */
const goals: readonly Goal[] = [
  {
    title: 'REST submissions/s',
    workload: 'submit',
    figure: 'perSecond',
    contestant: us,
    against: 'raw-io',
    atLeast: 0.6,
  },
  {
    title: 'REST submissions/s',
    workload: 'submit',
    figure: 'perSecond',
    contestant: us,
    against: 'fastify',
    atLeast: 1.8,
  },
  {
    title: 'server CPU a submission',
    workload: 'submit',
    figure: 'serverCpu',
    contestant: us,
    against: 'raw-io',
    atMost: 1.6,
  },
  {
    title: 'PostgreSQL CPU a submission',
    workload: 'submit',
    figure: 'postgresCpu',
    contestant: us,
    against: 'raw-io',
    atMost: 2.2,
  },
  { title: 'p99, 64 under way', workload: 'submit', figure: 'p99', contestant: us, against: 'fastify', atMost: 1 },
  { title: 'p99, 4 under way', workload: 'submit-4', figure: 'p99', contestant: us, against: 'fastify', atMost: 1.5 },
  { title: 'refusals/s', workload: 'refuse', figure: 'perSecond', contestant: us, against: 'bare-koa', atLeast: 0.8 },
  {
    title: 'documents/s, 200',
    workload: 'document',
    figure: 'perSecond',
    contestant: us,
    against: 'bare-koa',
    atLeast: 0.7,
  },
  {
    title: 'documents/s, 304',
    workload: 'document-304',
    figure: 'perSecond',
    contestant: us,
    against: 'bare-koa',
    atLeast: 0.7,
  },
  {
    title: 'CPU of a Connect JSON call',
    workload: 'connect-json',
    figure: 'serverCpu',
    contestant: us,
    against: 'connect',
    atMost: 0.65,
  },
  {
    title: 'CPU of a gRPC call',
    workload: 'grpc',
    figure: 'serverCpu',
    contestant: 'lead-intake-repeats',
    against: 'connect',
    atMost: 0.65,
  },
  {
    title: 'gRPC submissions/s',
    workload: 'grpc',
    figure: 'perSecond',
    contestant: 'lead-intake-repeats',
    against: 'go',
    atLeast: 0.85,
  },
]

/** The maximum start time and idle memory. */
const startGoals = { firstAnswerMs: 250, idleMebibytes: 95 }

/** The maximum time that a single request may block the event loop (docs/specification.md §11). */
const stallMaxMs = 5

/** One line per goal: whether the run reached it, and the measured value. A goal against a server left out is skipped. */
export function renderGoals(results: Results): string {
  const lines = goals.map(({ title, workload, figure, contestant, against, atLeast = 0, atMost = Infinity }) => {
    const bound = atLeast > 0 ? `at least ${atLeast}` : `at most ${atMost}`
    if (!hasSamples(results, workload, against)) return `skipped ${title}: ${against} was left out (goal: ${bound})`
    const ratio = estimateRatio(figure, samplesOf(results, workload, contestant), samplesOf(results, workload, against))
    return `${mark(ratio >= atLeast && ratio <= atMost)} ${title}: ${ratio.toFixed(2)} × ${against} (goal: ${bound})`
  })
  const start = results.starts[us]
  if (start) {
    const { firstAnswerMs, idleMebibytes } = startGoals
    lines.push(
      `${mark(start.firstAnswerMs <= firstAnswerMs)} start to first answer: ${start.firstAnswerMs.toFixed(0)} ms (goal: at most ${firstAnswerMs})`,
      `${mark(start.idleMebibytes <= idleMebibytes)} idle memory: ${start.idleMebibytes.toFixed(0)} MiB (goal: at most ${idleMebibytes})`,
    )
  }
  const [worst] = results.stalls?.worst ?? []
  if (worst) {
    const { ms, what } = worst
    lines.push(
      `${mark(ms <= stallMaxMs)} event loop kept by any single request: ${ms.toFixed(2)} ms, ${what} (goal: at most ${stallMaxMs})`,
    )
  }
  return lines.join('\n')
}

function mark(reached: boolean): string {
  return reached ? 'reached' : 'MISSED '
}
