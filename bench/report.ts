import { type ContestantName, contestants, isService } from './servers.ts'
import { type Workload, type WorkloadName, workloads } from './workloads.ts'

/** One round with one server: counted answers a second, latency in milliseconds, CPU in microseconds for a counted answer. */
export type Sample = Record<'perSecond' | 'p50' | 'p99' | 'server' | 'postgres' | 'redis' | 'all', number>
type Figure = keyof Sample

/** A complete run, as saved in `results/`. */
export interface Results {
  takenAt: string
  mode: 'full' | 'quick' | 'guard'
  /** The load average of the minute before the run reveals other users of the machine. */
  machine: { cpu: string; cores: number; node: string; redis: string; postgres: string; loadAverage: number }
  rounds: number
  secondsPerRound: number
  /** All rounds of each server in each workload. */
  cells: { workload: WorkloadName; contestant: ContestantName; samples: Sample[] }[]
  /** Time from the start of the process to the first answer, and resident memory while idle. */
  starts: Partial<Record<ContestantName, { firstAnswerMs: number; idleMebibytes: number }>>
  /** The requests that blocked the service's event loop longest, in milliseconds, worst first. */
  stalls: { what: string; ms: number }[]
}

/** The middle value. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** A figure of a server in each round. Empty when it was not measured. */
function series({ cells }: Results, figure: Figure, workload: WorkloadName, contestant: ContestantName): number[] {
  const cell = cells.find((one) => one.workload === workload && one.contestant === contestant)
  return cell?.samples.map((sample) => sample[figure]) ?? []
}

/** The median ratio of a figure to another server's in the same round, which cancels drift of the machine. */
function ratio(results: Results, figure: Figure, workload: WorkloadName, ours: ContestantName, theirs: ContestantName) {
  const against = series(results, figure, workload, theirs)
  return median(series(results, figure, workload, ours).map((value, round) => value / (against[round] ?? Number.NaN)))
}

const columns: Record<string, Figure> = {
  'per second': 'perSecond',
  'p50 ms': 'p50',
  'p99 ms': 'p99',
  'server µs': 'server',
  'PostgreSQL µs': 'postgres',
  'Redis µs': 'redis',
}

/** Prints the medians of each workload, the starts, and the requests that blocked longest. */
export function printTables(results: Results): void {
  for (const [workload, { title }] of Object.entries(workloads) as [WorkloadName, Workload][]) {
    const cells = results.cells.filter((cell) => cell.workload === workload)
    const middle = (samples: Sample[], figure: Figure) => Number(median(samples.map((one) => one[figure])).toFixed(1))
    const row = (samples: Sample[]) =>
      Object.fromEntries(Object.entries(columns).map(([head, figure]) => [head, middle(samples, figure)]))
    console.log(`\n${title}`)
    console.table(Object.fromEntries(cells.map(({ contestant, samples }) => [contestant, row(samples)])))
  }
  console.table(results.starts)
  console.table(results.stalls)
}

/** Prints the rows of the table in docs/performance.md. Missed goals are bold. */
export function printGoals(results: Results): void {
  const row = (figure: string, value: number, sign: '≤' | '≥', bound: number, unit = '') => {
    const holds = sign === '≤' ? value <= bound : value >= bound
    const shown = `${value.toFixed(bound >= 5 ? 1 : 2)}${unit}`
    console.log(`| ${figure} | ${sign} ${bound}${unit} | ${holds ? shown : `**${shown}**`} |`)
  }
  const against = (figure: Figure, workload: WorkloadName, peer: ContestantName) =>
    ratio(results, figure, workload, workloads[workload].contestants[1], peer)
  const { 'lead-intake': start, 'raw-io': yardstick } = results.starts
  const [worst] = results.stalls
  row('REST: server CPU a lead ÷ raw-io', against('server', 'submit', 'raw-io'), '≤', 1.9)
  row('REST: all CPU a lead (server, PostgreSQL, Redis) ÷ Fastify', against('all', 'submit', 'fastify'), '≤', 0.8)
  row('REST: rate ÷ Fastify', against('perSecond', 'submit', 'fastify'), '≥', 1.2)
  row('PostgreSQL CPU a lead ÷ raw-io', against('postgres', 'submit', 'raw-io'), '≤', 2.3)
  row('p99 with 64 in flight ÷ Fastify', against('p99', 'submit', 'fastify'), '≤', 1)
  row('p99 with 4 in flight ÷ Fastify', against('p99', 'submit-4', 'fastify'), '≤', 2)
  row('CPU of a gRPC `SubmitLead` ÷ connect-node', against('server', 'grpc', 'connect'), '≤', 0.65)
  row('CPU of a Connect JSON `SubmitLead` ÷ connect-node', against('server', 'connect-json', 'connect'), '≤', 0.65)
  row('CPU of a refusal (429) ÷ bare Koa', against('server', 'refuse', 'bare-koa'), '≤', 1.3)
  row('CPU of a document, 200 ÷ bare Koa', against('server', 'document', 'bare-koa'), '≤', 1.3)
  row('CPU of a document, 304 ÷ bare Koa', against('server', 'document-304', 'bare-koa'), '≤', 1.3)
  if (!start || !yardstick || !worst) return
  row('start to first answer ÷ raw-io', start.firstAnswerMs / yardstick.firstAnswerMs, '≤', 1.5)
  row(`idle memory (raw-io: ${yardstick.idleMebibytes.toFixed(0)})`, start.idleMebibytes, '≤', 90, ' MiB')
  row(`worst single request on the event loop: ${worst.what}`, worst.ms, '≤', 5, ' ms')
}

/** By how much a request's CPU time may exceed the committed run's, both relative to the workload's first server. */
const tolerance = 0.15

/** Prints the service's CPU time beside the committed run's, and returns whether all workloads are within tolerance. */
export function compare(now: Results, committed: Results): boolean {
  const rows = (Object.keys(workloads) as WorkloadName[]).map((workload) => {
    const [against, service] = workloads[workload].contestants
    const of = (run: Results) => ratio(run, 'server', workload, service, against)
    const [measured, before] = [of(now), of(committed)]
    return { workload, against, measured, committed: before, within: measured <= before * (1 + tolerance) }
  })
  console.table(rows)
  return rows.every(({ within }) => within)
}

const parts = [
  ['server', 'server', '#0b7285'],
  ['postgres', 'PostgreSQL', '#66b2c2'],
  ['redis', 'Redis', '#e8a33d'],
] as const

const text = (x: number, y: number, content: string, size = 12, weight = 400) =>
  `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}">${content.replaceAll('&', '&amp;')}</text>`
const bar = (x: number, y: number, length: number, fill: string) =>
  `<rect x="${x.toFixed(1)}" y="${y}" width="${length.toFixed(1)}" height="20" fill="${fill}"/>`

/** Draws a run's REST submissions: how many per second compared with raw-io, and the CPU time of each. */
export function renderChart(results: Results): string {
  const rows = workloads.submit.contestants.map((name) => {
    const middle = (figure: Figure) => median(series(results, figure, 'submit', name))
    const rate = ratio(results, 'perSecond', 'submit', name, 'raw-io')
    return { name, rate, cpu: middle('all'), shares: parts.map(([part]) => middle(part)) }
  })
  const cpuScale = 250 / Math.max(...rows.map(({ cpu }) => cpu))
  const drawn = rows.flatMap(({ name, rate, cpu, shares }, row) => {
    const y = 92 + row * 50
    const starts = shares.map((_, part) => 570 + shares.slice(0, part).reduce((x, share) => x + share * cpuScale, 0))
    return [
      text(24, y + 8, contestants[name].label, 14, 600),
      text(24, y + 23, contestants[name].parts, 10),
      bar(262, y, rate * 200, isService(name) ? '#0b7285' : '#aab4c0'),
      text(268 + rate * 200, y + 14.5, rate.toFixed(2)),
      ...parts.map(([, , fill], part) => bar(starts[part] as number, y, (shares[part] as number) * cpuScale, fill)),
      text(576 + cpu * cpuScale, y + 14.5, cpu.toFixed(0)),
    ]
  })
  const legend = parts.flatMap(([, label, fill], part) => [
    bar(570 + part * 84, 58, 10, fill),
    text(585 + part * 84, 72, label, 11),
  ])
  const bottom = 92 + rows.length * 50
  const { machine, takenAt, rounds, secondsPerRound } = results
  const versions = `Node ${machine.node.slice(1)}, PostgreSQL ${machine.postgres}, Redis ${machine.redis}`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 940 ${bottom + 48}" role="img" fill="#1f2933" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">
<title>REST submissions: ${rows.map(({ name, rate }) => `${contestants[name].label} ${rate.toFixed(2)}`).join(', ')} × raw-io</title>
<rect width="940" height="${bottom + 48}" rx="8" fill="#ffffff"/>
${[
  text(24, 34, 'REST submissions', 18, 700),
  text(262, 34, 'a second, × raw-io (longer is better)', 13, 600),
  text(570, 34, 'CPU in µs for each (shorter is better)', 13, 600),
  ...legend,
  ...drawn,
  text(24, bottom + 20, `${takenAt.slice(0, 10)} on ${machine.cores} cores of ${machine.cpu}: ${versions}.`, 10),
  text(
    24,
    bottom + 34,
    `64 connections, a new client each request, every lead durable before its 201. Median of ${rounds} interleaved rounds of ${secondsPerRound} s.`,
    10,
  ),
].join('\n')}
</svg>
`
}
