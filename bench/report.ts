import type { Growth } from './growth.ts'
import { type ContestantName, contestants, isService } from './servers.ts'
import { type WorkloadName, workloads } from './workloads.ts'

/** One round with one server: counted answers a second, latency in milliseconds, CPU in microseconds for a counted answer. */
export type Sample = Record<'perSecond' | 'p50' | 'p99' | 'server' | 'postgres' | 'redis' | 'all', number>
type Figure = keyof Sample

/** A complete run, as saved in `results/`. */
export interface Results {
  takenAt: string
  mode: 'full' | 'quick' | 'guard'
  /** The load average of the minute before the run reveals other users of the machine. */
  machine: { cpu: string; cores: number; node: string; redis: string; postgres: string; loadAverage: number }
  generations: number
  secondsPerRound: number
  /** One sample a generation of each server in each workload. `pace`: requests a second, 0 for a closed loop. */
  cells: { workload: WorkloadName; contestant: ContestantName; pace: number; samples: Sample[] }[]
  /** Time from the start of the process to the first answer, and resident memory while idle. */
  starts: Partial<Record<ContestantName, { firstAnswerMs: Estimate; idleMebibytes: Estimate }>>
  /** The requests that blocked the service's event loop longest, in milliseconds, worst first. */
  stalls: { what: string; ms: number }[]
  growth: Growth
}

/** A figure of a server in each round. Empty when it was not measured. */
function series({ cells }: Results, figure: Figure, workload: WorkloadName, contestant: ContestantName): number[] {
  const cell = cells.find((one) => one.workload === workload && one.contestant === contestant)
  return cell?.samples.map((sample) => sample[figure]) ?? []
}

/** The median of all generations, and an interval that has the true median in 96 of 100 runs. */
export interface Estimate {
  middle: number
  low: number
  high: number
}

/** From the order of the values, whatever their distribution: of nine, the second to the eighth. Of fewer, all of them. */
export function estimate(values: readonly number[] = []): Estimate {
  const sorted = values.toSorted((a, b) => a - b)
  const cut = sorted.length >= 9 ? 1 : 0
  const [middle = Number.NaN, low = Number.NaN, high = Number.NaN] = [sorted.length >> 1, cut, -1 - cut].map(
    sorted.at,
    sorted,
  )
  return { middle, low, high }
}

/** The ratio of a figure to another server's in the same generation, which cancels drift of the machine. */
function ratio(results: Results, figure: Figure, workload: WorkloadName, ours: ContestantName, theirs: ContestantName) {
  const against = series(results, figure, workload, theirs)
  return estimate(series(results, figure, workload, ours).map((value, at) => value / (against[at] ?? Number.NaN)))
}

/** Prints the rows of the tables in docs/performance.md: goals with their verdict, then observations, which judge nothing. */
export function printGoals(results: Results): void {
  const show = (value: number) => value.toFixed(2)
  const shown = ({ middle, low, high }: Estimate) => `${show(middle)} | ${show(low)} to ${show(high)}`
  // Only an interval that lies beyond the goal as a whole shows that it is missed.
  const row = (figure: string, value: Estimate, sign: '≤' | '≥', bound: number) => {
    const missed = sign === '≤' ? value.low > bound : value.high < bound
    console.log(`| ${figure} | ${sign} ${bound} | ${shown(value)} | ${missed ? '**missed**' : 'held'} |`)
  }
  const against = (figure: Figure, workload: WorkloadName, peer: ContestantName) =>
    ratio(results, figure, workload, workloads[workload].contestants[1], peer)
  row('REST: rate ÷ Fastify', against('perSecond', 'submit', 'fastify'), '≥', 1.3)
  row('REST: p99 with 64 in flight ÷ Fastify', against('p99', 'submit', 'fastify'), '≤', 1)
  const cpu = 'REST: all CPU a lead (server, PostgreSQL, Redis) ÷ Fastify'
  row(`${cpu}, 64 in flight`, against('all', 'submit', 'fastify'), '≤', 0.75)
  row(`${cpu}, at one rate`, against('all', 'submit-paced', 'fastify'), '≤', 0.75)
  row('REST: server CPU a lead ÷ raw-io', against('server', 'submit-paced', 'raw-io'), '≤', 2.2)
  row('REST: PostgreSQL CPU a lead ÷ raw-io', against('postgres', 'submit-paced', 'raw-io'), '≤', 2.7)
  row('CPU of a gRPC `SubmitLead` ÷ connect-node', against('server', 'grpc', 'connect'), '≤', 0.75)
  row('CPU of a Connect JSON `SubmitLead` ÷ connect-node', against('server', 'connect-json', 'connect'), '≤', 0.75)
  row('CPU of a refusal (429) ÷ bare Koa', against('server', 'refuse', 'bare-koa'), '≤', 1.3)
  row('CPU of a document, 200 ÷ bare Koa', against('server', 'document', 'bare-koa'), '≤', 1.3)
  row('CPU of a document, 304 ÷ bare Koa', against('server', 'document-304', 'bare-koa'), '≤', 1.3)
  const { 'lead-intake': start, 'raw-io': yardstick } = results.starts
  const [worst] = results.stalls
  if (!start || !yardstick || !worst) return
  row(`idle memory, MiB (raw-io: ${yardstick.idleMebibytes.middle.toFixed(0)})`, start.idleMebibytes, '≤', 90)
  row(`worst single request on the event loop, ms: ${worst.what}`, estimate([worst.ms]), '≤', 5)
  const growths = Object.entries(results.growth).toSorted(([, a], [, b]) => b.growth.middle - a.growth.middle)
  const most = growths[0]
  if (most) row(`growth of the operation that grows most: ${most[0]}`, most[1].growth, '≤', 1.5)
  console.log('\nObservations')
  for (const [what, { growth }] of growths) console.log(`| growth, ${what} | ${shown(growth)} |`)
  console.log(`| p99 with 4 in flight ÷ Fastify | ${shown(against('p99', 'submit-4', 'fastify'))} |`)
  console.log(`| start to first answer, ms | ${shown(start.firstAnswerMs)} |`)
}

/** By how much a request's CPU time may exceed the committed run's, both relative to the workload's first server. */
const tolerance = 0.15

/** Prints the service's CPU time beside the committed run's, and returns whether all workloads are within tolerance. */
export function compare(now: Results, committed: Results): boolean {
  const rows = (Object.keys(workloads) as WorkloadName[]).map((workload) => {
    const [against, service] = workloads[workload].contestants
    const of = (run: Results) => ratio(run, 'server', workload, service, against).middle
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
  `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}">${content}</text>`
const bar = (x: number, y: number, length: number, fill: string) =>
  `<rect x="${x.toFixed(1)}" y="${y}" width="${length.toFixed(1)}" height="20" fill="${fill}"/>`
/** The interval of a bar's length. */
const whisker = (x: number, y: number, { low, high }: Estimate, scale: number) =>
  `<path d="M${(x + low * scale).toFixed(1)} ${y + 24}H${(x + high * scale).toFixed(1)}m0 -3v6M${(x + low * scale).toFixed(1)} ${y + 21}v6" stroke="#1f2933"/>`

/** Draws a run's REST submissions: how many per second compared with raw-io, and the CPU time of each at one rate. */
export function renderChart(results: Results): string {
  const rows = workloads.submit.contestants.map((name) => {
    const of = (figure: Figure) => estimate(series(results, figure, 'submit-paced', name))
    const rate = ratio(results, 'perSecond', 'submit', name, 'raw-io')
    return { name, rate, cpu: of('all'), shares: parts.map(([part]) => of(part).middle) }
  })
  const cpuScale = 250 / Math.max(...rows.map(({ cpu }) => cpu.high))
  const drawn = rows.flatMap(({ name, rate, cpu, shares }, row) => {
    const y = 92 + row * 50
    const starts = shares.map((_, part) => 570 + shares.slice(0, part).reduce((x, share) => x + share * cpuScale, 0))
    return [
      text(24, y + 8, contestants[name].label, 14, 600),
      text(24, y + 23, contestants[name].parts, 10),
      bar(262, y, rate.middle * 200, isService(name) ? '#0b7285' : '#aab4c0'),
      whisker(262, y, rate, 200),
      text(268 + rate.middle * 200, y + 14.5, rate.middle.toFixed(2)),
      ...parts.map(([, , fill], part) => bar(starts[part] as number, y, (shares[part] as number) * cpuScale, fill)),
      whisker(570, y, cpu, cpuScale),
      text(576 + cpu.middle * cpuScale, y + 14.5, cpu.middle.toFixed(0)),
    ]
  })
  const legend = parts.map(([, label, fill]) => `<tspan fill="${fill}">■</tspan> ${label}\u00a0`)
  const bottom = 92 + rows.length * 50
  const { machine, takenAt, generations, secondsPerRound } = results
  const rounds = `Median of ${generations} generations of processes, ${secondsPerRound} s each; the line below a bar is its interval.`
  const versions = `Node ${machine.node.slice(1)}, PostgreSQL ${machine.postgres}, Redis ${machine.redis}`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 940 ${bottom + 48}" role="img" fill="#1f2933" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">
<title>REST submissions: ${rows.map(({ name, rate }) => `${contestants[name].label} ${rate.middle.toFixed(2)}`).join(', ')} × raw-io</title>
<rect width="940" height="${bottom + 48}" rx="8" fill="#ffffff"/>
${[
  text(24, 34, 'REST submissions', 18, 700),
  text(262, 34, 'a second, × raw-io (longer is better)', 13, 600),
  text(570, 34, 'CPU in µs for each, at one rate (shorter is better)', 13, 600),
  text(570, 72, legend.join(' '), 11),
  ...drawn,
  text(24, bottom + 20, `${takenAt.slice(0, 10)} on ${machine.cores} cores of ${machine.cpu}: ${versions}.`, 10),
  text(24, bottom + 34, `64 connections, a new client each request, every lead durable before its 201. ${rounds}`, 10),
].join('\n')}
</svg>
`
}
