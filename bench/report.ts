import type { Growth } from './growth.ts'
import type { ContestantName } from './servers.ts'
import { groups, overloadConnections } from './workloads.ts'

/** One round with one server: answers a second, latency in milliseconds, CPU in microseconds for an answer. */
export type Sample = Record<'perSecond' | 'p50' | 'p99' | 'server' | 'postgres' | 'redis' | 'all', number>

export type Idle = Record<'mebibytes' | 'cpuPercent' | 'wakeUps', number>

/** `peak`, `goodput` and `refused`: leads a second. `cpu`: of all, for a stored lead. */
export type Overload = { contestant: ContestantName } & Record<
  'connections' | 'peak' | 'goodput' | 'refused' | 'broken' | 'p99' | 'cpu' | 'fallbacks' | 'commitMs',
  number
>

/** A complete run, as saved in `results/`. */
export interface Results {
  takenAt: string
  /** The commit that takes the place of the other servers. */
  against: string | undefined
  /** The load average of the minute before the run reveals other users of the machine. */
  machine: { cpu: string; cores: number; node: string; loadAverage: number }
  generations: number
  /** `commitMs`: how long PostgreSQL took for a commit of one row just before. */
  cells: { workload: string; contestant: ContestantName; commitMs: number; sample: Sample }[]
  /** The service's CPU for a lead, 64 in flight, of further starts. */
  starts: number[]
  idle: (Idle & { contestant: ContestantName })[]
  overload: Overload[]
  /** Leads a second. */
  drain: number[]
  growth: Growth
}

/** The median, and the lowest and highest value: of six, they have the true median between them in 97 of 100 runs. */
export function estimate(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number) => sorted.at(index) ?? Number.NaN
  return { middle: (at(sorted.length >> 1) + at((sorted.length - 1) >> 1)) / 2, low: at(0), high: at(-1) }
}

/** Each value with that of the same generation. */
const ratio = (ours: readonly number[], theirs: readonly number[]) => ours.map((value, at) => value / (theirs[at] ?? 0))

const show = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2))
const shown = ({ middle, low, high }: ReturnType<typeof estimate>) => `${show(middle)} | ${show(low)} to ${show(high)}`

/** The rows of docs/performance.md: each figure with its goal, its interval, the verdict, and the time of a commit. */
export function renderGoals(run: Results): string {
  const rows: string[] = []
  const cellsOf = (workload: string, contestant: ContestantName) =>
    run.cells.filter((cell) => cell.workload === workload && cell.contestant === contestant)
  const series = (figure: keyof Sample, workload: string, contestant: ContestantName) =>
    cellsOf(workload, contestant).map(({ sample }) => sample[figure])
  const overloads = (connections: number, contestant: ContestantName = 'lead-intake') =>
    run.overload.filter((one) => one.connections === connections && one.contestant === contestant)
  const commitOf = (cells: readonly { commitMs: number }[]) =>
    cells.length > 0 ? show(estimate(cells.map(({ commitMs }) => commitMs)).middle) : ''

  /** Only an interval that lies beyond the goal as a whole shows that it is missed. If its middle does, it is open. */
  function row(what: string, values: readonly number[], goal: string, commitMs = '') {
    const value = estimate(values)
    if (run.against && value.low < 1 && value.high > 1) return // It did not change beyond its interval.
    const bound = Number(goal.slice(2))
    const isWithin = (one: number) => (goal.startsWith('≤') ? one <= bound : one >= bound)
    const judged = isWithin(value.middle) ? 'held' : [value.low, value.high].some(isWithin) ? 'open' : '**missed**'
    const verdict = goal === '' ? '' : judged
    rows.push(`| ${what} | ${goal} | ${shown(value)} | ${verdict} | ${commitMs} |`)
  }
  const against = (what: string, figure: keyof Sample, workload: string, peer: ContestantName, goal: string) => {
    const ours = series(figure, workload, 'lead-intake')
    row(what, ratio(ours, series(figure, workload, peer)), goal, commitOf(cellsOf(workload, peer)))
  }
  const head = '| figure | goal | measured | interval | | commit, ms |\n|---|---|---|---|---|---|'

  if (run.against) {
    for (const workload of Object.values(groups).flatMap((group) => Object.keys(group.workloads))) {
      if (workload === 'submit') against('submit, 64 in flight: rate', 'perSecond', workload, 'before', '')
      if (workload === 'submit') against('submit, 64 in flight: p99', 'p99', workload, 'before', '')
      against(`${workload}: all CPU`, 'all', workload, 'before', '')
    }
    const idleOf = (figure: keyof Idle, contestant: ContestantName) =>
      run.idle.flatMap((one) => (one.contestant === contestant ? one[figure] : []))
    for (const figure of ['mebibytes', 'cpuPercent', 'wakeUps'] as const)
      row(`idle: ${figure}`, ratio(idleOf(figure, 'lead-intake'), idleOf(figure, 'before')), '')
    for (const connections of overloadConnections)
      for (const figure of ['goodput', 'p99', 'cpu'] as const) {
        const ours = overloads(connections)
        const values = ours.map((one) => one[figure])
        const theirs = overloads(connections, 'before').map((one) => one[figure])
        row(`twice the peak, ${connections} connections: ${figure}`, ratio(values, theirs), '', commitOf(ours))
      }
    return `${head.replace('measured', `this commit ÷ ${run.against}`)}\n${rows.join('\n')}`
  }

  against('REST, 64 in flight: rate ÷ Fastify', 'perSecond', 'submit', 'fastify', '≥ 1.3')
  against('REST, 64 in flight: all CPU ÷ Fastify', 'all', 'submit', 'fastify', '≤ 0.6')
  against('REST, 64 in flight: p99 ÷ Fastify', 'p99', 'submit', 'fastify', '≤ 0.8')
  against('REST, 64 in flight: all CPU ÷ raw-io', 'all', 'submit', 'raw-io', '≤ 2.5')
  const ofStarts = estimate(run.starts)
  row(
    `REST, 64 in flight: the service's CPU, slowest ÷ fastest of ${run.starts.length} starts`,
    [ofStarts.high / ofStarts.low],
    '≤ 1.15',
  )
  against('REST, 500 a second: all CPU ÷ Fastify that does the same', 'all', 'submit 500', 'fastify-same', '≤ 0.9')
  against('REST, 1,000 a second: all CPU ÷ Fastify that does the same', 'all', 'submit 1000', 'fastify-same', '≤ 0.8')
  against('REST, 500 a second: all CPU ÷ Fastify', 'all', 'submit 500', 'fastify', '≤ 1.35')
  against('REST, 1,000 a second: all CPU ÷ Fastify', 'all', 'submit 1000', 'fastify', '≤ 1.3')
  against('REST, 500 a second: all CPU ÷ raw-io', 'all', 'submit 500', 'raw-io', '')
  against('the same ÷ with the feed followed', 'all', 'submit 500', 'lead-intake-followed', '')
  against('gRPC, 1,000 a second: all CPU ÷ connect-node', 'all', 'gRPC', 'connect', '≤ 0.85')
  against('Connect JSON, 1,000 a second: all CPU ÷ connect-node', 'all', 'Connect JSON', 'connect', '≤ 1.2')
  for (const connections of overloadConnections) {
    const twice = overloads(connections)
    const what = `twice the capacity, ${connections} connections`
    const [shares, p99s] = [twice.map((one) => one.goodput / one.peak), twice.map((one) => one.p99 / 1_000)]
    row(`${what}: goodput ÷ peak`, shares, '≥ 0.8', commitOf(twice))
    row(`${what}: p99 of the accepted, s`, p99s, '≤ 2', commitOf(twice))
  }
  const fallbacks = run.overload.map((one) => one.fallbacks)
  row('overload: leads counted on the fallback', fallbacks, '≤ 0')
  for (const [status, goal] of Object.entries({ 429: '≤ 1.3', 200: '≤ 1.1', 304: '≤ 1.1' }))
    against(`an answer ${status}: CPU ÷ bare Koa`, 'server', status, 'bare-koa', goal)
  const idle = (figure: keyof Idle) => run.idle.map((one) => one[figure])
  row('idle: memory, MiB', idle('mebibytes'), '≤ 90')
  row('idle: CPU, % of a core', idle('cpuPercent'), '≤ 0.3')
  row('idle: wake-ups a second', idle('wakeUps'), '≤ 10')
  row('feed: leads a second to one consumer, from SQLite', run.drain, '≥ 5000')
  const [most] = Object.entries(run.growth).sort(([, a], [, b]) => estimate(b).middle - estimate(a).middle)
  if (most) row(`CPU at 1,000,000 leads ÷ 1,000, the most: ${most[0]}`, most[1], '≤ 1.5')
  return `${head}\n${rows.join('\n')}`
}
