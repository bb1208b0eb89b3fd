import { type ContestantName, contestants, titleOf } from './servers.ts'
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
type Figure = keyof typeof figureOf

/** The middle value. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** A figure of a server in each round. Empty when it was not measured. */
function series({ cells }: Results, name: Figure, workload: WorkloadName, contestant: ContestantName): number[] {
  const cell = cells.find((one) => one.workload === workload && one.contestant === contestant)
  return cell?.samples.map(figureOf[name]) ?? []
}

/** The median ratio of a figure to another server's in the same round, which cancels drift of the machine. */
function ratio(
  results: Results,
  name: Figure,
  workload: WorkloadName,
  contestant: ContestantName,
  base: ContestantName,
  baseWorkload = workload,
): number {
  const against = series(results, name, baseWorkload, base)
  return median(
    series(results, name, workload, contestant).map((value, round) => value / (against[round] ?? Number.NaN)),
  )
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

/** One line for each goal: whether the run reached it, and the measured value. */
export function renderGoals(results: Results): string {
  const line = (title: string, value: number, unit: string, least: number, most: number) => {
    const goal = least > 0 ? `at least ${least}` : `at most ${most}`
    return `${value >= least && value <= most ? 'reached' : 'MISSED '} ${title}: ${value.toFixed(2)} ${unit} (goal: ${goal})`
  }
  const lines = goals.map(([title, workload, name, against, least, most]) => {
    const ours = workload === 'grpc' ? 'lead-intake-repeats' : 'lead-intake'
    return line(title, ratio(results, name, workload, ours, against), `× ${against}`, least, most)
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

const columns: [head: string, Figure, digits: number][] = [
  ['per second', 'perSecond', 0],
  ['p50 ms', 'p50', 1],
  ['p99 ms', 'p99', 1],
  ['server CPU s/1k', 'serverCpu', 4],
  ['PostgreSQL s/1k', 'postgresCpu', 4],
  ['Redis s/1k', 'redisCpu', 4],
]

/** The results as Markdown tables: a row per server, grouped by workload. × is the ratio to the first server. */
export function renderTables(results: Results): string {
  const rows = (Object.entries(workloads) as [WorkloadName, Workload][]).flatMap(([workload, { title, ...more }]) => [
    [`**${title}**`, ...columns.map(() => '')],
    ...more.contestants.map((contestant) => [
      titleOf(contestant),
      ...columns.map(([, name, digits]) => {
        const value = median(series(results, name, workload, contestant))
        const times = ratio(results, name, workload, contestant, more.contestants[0] as ContestantName)
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
    [['server', ...columns.map(([head]) => head)], ...rows],
    [['server', 'start to first answer, ms', 'idle memory, MiB'], ...starts],
    [[`the worst of ${results.stalls?.requests} requests, each filled with`, 'event loop, ms'], ...worst],
  ]
    .map(([head = [], ...body]) => [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`))
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

/** By how much a request's CPU time may exceed the committed run's, both relative to raw-io in the same run. */
const tolerance = 0.15

/** Compares the service's CPU time with the committed run's: a line per workload, and whether all are within tolerance. */
export function compare(now: Results, committed: Results): { text: string; passed: boolean } {
  const ours = now.cells.filter(({ contestant }) => contestant.startsWith('lead-intake'))
  const rows = ours.map(({ workload, contestant }) => {
    const [was, is] = [committed, now].map((run) => ratio(run, 'serverCpu', workload, contestant, 'raw-io', 'submit'))
    const [before, after] = [was, is] as [number, number]
    const passed = after <= before * (1 + tolerance)
    const change = `${((after / before - 1) * 100).toFixed(0)} %`
    const figures = `${after.toFixed(2)} × raw-io, committed ${before.toFixed(2)} (${change})`
    return { passed, line: `${passed ? 'within' : 'BEYOND'} ${workload}: ${figures}` }
  })
  return { text: rows.map(({ line }) => line).join('\n'), passed: rows.every(({ passed }) => passed) }
}

const parts: [Figure, name: string, fill: string][] = [
  ['serverCpu', 'server', '#0b7285'],
  ['postgresCpu', 'PostgreSQL', '#66b2c2'],
  ['redisCpu', 'Redis', '#e8a33d'],
]

const text = (x: number, y: number, content: string, size = 12, weight = 400) =>
  `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}">${content.replaceAll('&', '&amp;')}</text>`
const bar = (x: number, y: number, length: number, fill: string) =>
  `<rect x="${x.toFixed(1)}" y="${y}" width="${length.toFixed(1)}" height="20" fill="${fill}"/>`

/** Draws a run's REST submissions: how many per second compared with raw-io, and the CPU time of 1,000. */
export function renderChart(results: Results): string {
  const rows = workloads.submit.contestants.map((name) => {
    const middle = (figure: Figure) => median(series(results, figure, 'submit', name))
    const rate = ratio(results, 'perSecond', 'submit', name, 'raw-io')
    return { name, rate, cpu: middle('allCpu'), shares: parts.map(([part]) => middle(part)) }
  })
  const rateScale = 200 / Math.max(...rows.map(({ rate }) => rate))
  const cpuScale = 250 / Math.max(...rows.map(({ cpu }) => cpu))
  const drawn = rows.map(({ name, rate, cpu, shares }, row) => {
    const y = 92 + row * 50
    let x = 570
    const stack = shares.map((share, part) => {
      x += share * cpuScale
      return bar(x - share * cpuScale, y, share * cpuScale, parts[part]?.[2] ?? '')
    })
    return [
      text(24, y + 8, contestants[name].label, 14, 600),
      text(24, y + 23, contestants[name].parts, 10),
      bar(262, y, rate * rateScale, name === 'lead-intake' ? '#0b7285' : '#aab4c0'),
      text(268 + rate * rateScale, y + 14.5, rate.toFixed(2)),
      ...stack,
      text(x + 6, y + 14.5, cpu.toFixed(3)),
    ].join('\n')
  })
  const legend = parts.map(([, name, fill], index) =>
    [bar(570 + index * 84, 58, 10, fill), text(585 + index * 84, 72, name, 11)].join('\n'),
  )
  const bottom = 92 + rows.length * 50
  const { machine, takenAt, secondsPerRound } = results
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 940 ${bottom + 48}" role="img" fill="#1f2933" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">
<title>REST submissions: ${rows.map(({ name, rate }) => `${contestants[name].label} ${rate.toFixed(2)}`).join(', ')} × raw-io</title>
<rect width="940" height="${bottom + 48}" rx="8" fill="#ffffff"/>
${[text(24, 34, 'REST submissions', 18, 700), text(262, 34, 'a second, × raw-io (longer is better)', 13, 600), text(570, 34, 'CPU seconds for 1,000 (shorter is better)', 13, 600), ...legend, ...drawn].join('\n')}
${text(24, bottom + 20, `${takenAt.slice(0, 10)} on ${machine.cores} cores of ${machine.cpu}: Node ${machine.node.slice(1)}, PostgreSQL ${machine.postgres}, Redis ${machine.redis}.`, 10)}
${text(24, bottom + 34, `64 connections, a new client each request, every lead durable before its 201. Median of ${rounds} interleaved rounds of ${secondsPerRound} s.`, 10)}
</svg>
`
}
