import { type ContestantName, titleOf } from './contestants.ts'
import { type Workload, type WorkloadName, workloads } from './workloads.ts'

/** The number of rounds. The figures are medians over them. */
export const rounds = 5

/** The result of one round with one server. */
export interface Sample {
  /** Counted answers: acknowledgments, refusals or documents. */
  counted: number
  seconds: number
  /** Latency in milliseconds. */
  p50: number
  p99: number
  /** CPU seconds of each process tree. */
  cpu: { server: number; postgres: number; redis: number }
}

/** A complete run, as saved in `results/`. */
export interface Results {
  takenAt: string
  mode: 'full' | 'quick' | 'guard'
  /** The load average of the minute before the run reveals other users of the machine. */
  machine: { cpu: string; cores: number; node: string; redis: string; postgres: string; loadAverage: number }
  /** The settings of both servers, and the file system of PostgreSQL's data. */
  durability: { settings: Record<string, string>; fileSystem: string }
  secondsPerRound: number
  /** All rounds of each server in each workload. */
  cells: { workload: WorkloadName; contestant: ContestantName; samples: Sample[] }[]
  /** Time from the start of the process to the first answer, and resident memory while idle. */
  starts: Partial<Record<ContestantName, { firstAnswerMs: number; idleMebibytes: number }>>
  /** The requests that blocked the service's event loop longest, worst first. */
  stalls?: { requests: number; worst: { what: string; ms: number }[] }
}

/** CPU in seconds per 1,000 counted answers, latency in milliseconds. */
const figureOf = {
  perSecond: ({ counted, seconds }: Sample) => counted / seconds,
  p50: ({ p50 }: Sample) => p50,
  p99: ({ p99 }: Sample) => p99,
  serverCpu: ({ cpu, counted }: Sample) => (cpu.server / counted) * 1000,
  postgresCpu: ({ cpu, counted }: Sample) => (cpu.postgres / counted) * 1000,
  redisCpu: ({ cpu, counted }: Sample) => (cpu.redis / counted) * 1000,
  allCpu: ({ cpu, counted }: Sample) => ((cpu.server + cpu.postgres + cpu.redis) / counted) * 1000,
}
export type Figure = keyof typeof figureOf

/** The middle value. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number
}

const samplesOf = ({ cells }: Results, workload: WorkloadName, contestant: ContestantName) =>
  cells.find((cell) => cell.workload === workload && cell.contestant === contestant)?.samples

/** The median of a figure over the rounds. NaN when the server was not measured. */
export function figure(results: Results, name: Figure, workload: WorkloadName, contestant: ContestantName): number {
  return median(samplesOf(results, workload, contestant)?.map(figureOf[name]) ?? [Number.NaN])
}

/** The median ratio of a figure to another server's in the same round, which cancels drift of the machine. */
export function ratio(
  results: Results,
  name: Figure,
  [workload, contestant]: [WorkloadName, ContestantName],
  [baseWorkload, base]: [WorkloadName, ContestantName],
): number {
  const against = samplesOf(results, baseWorkload, base) ?? []
  const ratios = samplesOf(results, workload, contestant)?.map((sample, round) => {
    const other = against[round]
    return other ? figureOf[name](sample) / figureOf[name](other) : Number.NaN
  })
  return median(ratios ?? [Number.NaN])
}

/** What must hold: a figure of the service as a ratio to another server's in the same run. */
const goals: readonly [title: string, WorkloadName, Figure, against: ContestantName, least: number, most: number][] = [
  ['server CPU a REST submission', 'submit', 'serverCpu', 'raw-io', 0, 1.9],
  ['all CPU a REST submission', 'submit', 'allCpu', 'fastify', 0, 0.8],
  ['REST submissions a second', 'submit', 'perSecond', 'fastify', 1.2, Number.POSITIVE_INFINITY],
  ['PostgreSQL CPU a REST submission', 'submit', 'postgresCpu', 'raw-io', 0, 2.3],
  ['p99, 64 in flight', 'submit', 'p99', 'fastify', 0, 1],
  ['p99, 4 in flight', 'submit-4', 'p99', 'fastify', 0, 2],
  ['CPU of a gRPC call', 'grpc', 'serverCpu', 'connect', 0, 0.65],
  ['CPU of a Connect JSON call', 'connect-json', 'serverCpu', 'connect', 0, 0.65],
  ['CPU of a refusal', 'refuse', 'serverCpu', 'bare-koa', 0, 1.3],
  ['CPU of a document, 200', 'document', 'serverCpu', 'bare-koa', 0, 1.3],
  ['CPU of a document, 304', 'document-304', 'serverCpu', 'bare-koa', 0, 1.3],
]

const oursIn = (workload: WorkloadName): ContestantName => (workload === 'grpc' ? 'lead-intake-repeats' : 'lead-intake')

/** One line for each goal: whether the run reached it, and the measured value. */
export function renderGoals(results: Results): string {
  const line = (title: string, value: number, unit: string, least: number, most: number) => {
    const goal = least > 0 ? `at least ${least}` : `at most ${most}`
    return `${value >= least && value <= most ? 'reached' : 'MISSED '} ${title}: ${value.toFixed(2)} ${unit} (goal: ${goal})`
  }
  const lines = goals.map(([title, workload, name, against, least, most]) => {
    const value = ratio(results, name, [workload, oursIn(workload)], [workload, against])
    return line(title, value, `× ${against}`, least, most)
  })
  const { 'lead-intake': start, 'raw-io': yardstick } = results.starts
  if (start && yardstick) {
    lines.push(line('start to first answer', start.firstAnswerMs / yardstick.firstAnswerMs, '× raw-io', 0, 1.5))
    lines.push(line('idle memory', start.idleMebibytes, 'MiB', 0, 90))
  }
  const [worst] = results.stalls?.worst ?? []
  if (worst) lines.push(line(`event loop kept by any single request (${worst.what})`, worst.ms, 'ms', 0, 5))
  return lines.join('\n')
}

/** The results as Markdown tables: a row per server, grouped by workload. × is the ratio to the first server. */
export function renderTables(results: Results): string {
  const columns: [head: string, Figure, digits: number][] = [
    ['per second', 'perSecond', 0],
    ['p50 ms', 'p50', 1],
    ['p99 ms', 'p99', 1],
    ['server CPU s/1k', 'serverCpu', 4],
    ['PostgreSQL s/1k', 'postgresCpu', 4],
    ['Redis s/1k', 'redisCpu', 4],
  ]
  const rows = (Object.entries(workloads) as [WorkloadName, Workload][]).flatMap(([workload, { title, ...more }]) => [
    [`**${title}**`, ...columns.map(() => '')],
    ...more.contestants.map((contestant) => [
      titleOf(contestant),
      ...columns.map(([, name, digits]) => {
        const value = figure(results, name, workload, contestant)
        const times = ratio(results, name, [workload, contestant], [workload, more.contestants[0] as ContestantName])
        const isOfBackend = name === 'postgresCpu' || name === 'redisCpu'
        if (!Number.isFinite(value) || (isOfBackend && more.counts !== 'rows')) return '–'
        return `${value.toFixed(digits)}${Number.isFinite(times) ? ` (× ${times.toFixed(2)})` : ''}`
      }),
    ]),
  ])
  const starts = Object.entries(results.starts).map(([name, { firstAnswerMs, idleMebibytes }]) => [
    titleOf(name as ContestantName),
    firstAnswerMs.toFixed(0),
    idleMebibytes.toFixed(0),
  ])
  const worst = results.stalls?.worst.map(({ what, ms }) => [`\`${what}\``, ms.toFixed(2)]) ?? []
  return [
    align([['server', ...columns.map(([head]) => head)], ...rows]),
    align([['server', 'start to first answer, ms', 'idle memory, MiB'], ...starts]),
    align([[`the worst of ${results.stalls?.requests} requests, each filled with`, 'event loop, ms'], ...worst]),
  ].join('\n\n')
}

function align([head = [], ...rows]: string[][]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

/** By how much a request's CPU time may exceed the committed run's, both relative to raw-io in the same run. */
const tolerance = 0.15

/** Compares the service's CPU time with the committed run's: a line per workload, and whether all are within tolerance. */
export function compare(now: Results, committed: Results): { text: string; passed: boolean } {
  const ours = now.cells.filter(({ contestant }) => contestant.startsWith('lead-intake'))
  const rows = ours.map(({ workload, contestant }) => {
    const of = (results: Results) => ratio(results, 'serverCpu', [workload, contestant], ['submit', 'raw-io'])
    const [was, is] = [of(committed), of(now)]
    const passed = is <= was * (1 + tolerance)
    const change = `${((is / was - 1) * 100).toFixed(0)} %`
    const line = `${passed ? 'within' : 'BEYOND'} ${workload}: ${is.toFixed(2)} × raw-io, committed ${was.toFixed(2)} (${change})`
    return { passed, line }
  })
  return { text: rows.map(({ line }) => line).join('\n'), passed: rows.every(({ passed }) => passed) }
}
