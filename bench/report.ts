import type { Growth } from './growth.ts'
import type { ContestantName } from './servers.ts'
import { groups, offers, overloadConnections } from './workloads.ts'

/** One round with one server: answers a second, latency in milliseconds, CPU in microseconds for an answer. */
export type Sample = Record<'perSecond' | 'p50' | 'p99' | 'server' | 'postgres' | 'redis' | 'all', number>

export type Idle = Record<'mebibytes' | 'cpuPercent' | 'wakeUps', number>

/** `offer`: as a multiple of `peak`, in leads a second, as are `goodput` and `refused`. `cpu`: of all, for a stored lead. */
export type Overload = { contestant: ContestantName } & Record<
  'connections' | 'offer' | 'peak' | 'goodput' | 'refused' | 'broken' | 'p99' | 'cpu' | 'fallbacks' | 'commitMs',
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
  idle: (Idle & { contestant: ContestantName })[]
  overload: Overload[]
  /** Leads a second. */
  drain: number[]
  growth: Growth
}

/** The median, and the lowest and highest value: of six, they have the true median between them in 97 of 100 runs. */
export interface Estimate {
  middle: number
  low: number
  high: number
}

export function estimate(values: readonly number[]): Estimate {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number) => sorted.at(index) ?? Number.NaN
  return { middle: (at(sorted.length >> 1) + at((sorted.length - 1) >> 1)) / 2, low: at(0), high: at(-1) }
}

/** Each value with that of the same generation. */
const ratio = (ours: readonly number[], theirs: readonly number[]) => ours.map((value, at) => value / (theirs[at] ?? 0))

const show = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2))
const shown = ({ middle, low, high }: Estimate) => `${show(middle)} | ${show(low)} to ${show(high)}`

/** The rows of docs/performance.md: each figure with its goal, its interval, the verdict, and the time of a commit. */
export function renderGoals(run: Results): string {
  const rows: string[] = []
  const cellsOf = (workload: string, contestant: ContestantName) =>
    run.cells.filter((cell) => cell.workload === workload && cell.contestant === contestant)
  const series = (figure: keyof Sample, workload: string, contestant: ContestantName) =>
    cellsOf(workload, contestant).map(({ sample }) => sample[figure])
  const overloads = (connections: number, offer: number, contestant: ContestantName = 'lead-intake') =>
    run.overload.filter(
      (one) => one.connections === connections && one.offer === offer && one.contestant === contestant,
    )
  const commitOf = (cells: readonly { commitMs: number }[]) =>
    cells.length > 0 ? show(estimate(cells.map(({ commitMs }) => commitMs)).middle) : ''

  /** Only an interval that lies beyond the goal as a whole shows that it is missed. */
  function row(what: string, values: readonly number[], goal: string, commitMs = '') {
    const value = estimate(values)
    const bound = Number(goal.slice(2))
    const isHeld = goal.startsWith('≤') ? value.low <= bound : value.high >= bound
    const verdict = goal === '' ? '' : isHeld ? 'held' : '**missed**'
    rows.push(`| ${what} | ${goal} | ${shown(value)} | ${verdict} | ${commitMs} |`)
  }
  const against = (what: string, figure: keyof Sample, workload: string, peer: ContestantName, goal: string) => {
    const ours = series(figure, workload, 'lead-intake')
    row(`${what}`, ratio(ours, series(figure, workload, peer)), goal, commitOf(cellsOf(workload, peer)))
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
      for (const offer of [1, 2] as const)
        for (const figure of ['goodput', 'p99', 'cpu'] as const) {
          const [ours, theirs] = (['lead-intake', 'before'] as const).map((name) => overloads(connections, offer, name))
          const of = (some: typeof ours = []) => some.map((one) => one[figure])
          row(
            `${offer} × peak, ${connections} connections: ${figure}`,
            ratio(of(ours), of(theirs)),
            '',
            commitOf(ours ?? []),
          )
        }
    return `${head.replace('measured', `this commit ÷ ${run.against}`)}\n${rows.join('\n')}`
  }

  against('REST, 64 in flight: rate ÷ Fastify', 'perSecond', 'submit', 'fastify', '≥ 1.3')
  against('REST, 64 in flight: all CPU ÷ Fastify', 'all', 'submit', 'fastify', '≤ 0.75')
  against('REST, 64 in flight: p99 ÷ Fastify', 'p99', 'submit', 'fastify', '≤ 1')
  against('REST, 500 a second: all CPU ÷ Fastify', 'all', 'submit 500', 'fastify', '≤ 1.2')
  against('REST, 1,000 a second: all CPU ÷ Fastify', 'all', 'submit 1000', 'fastify', '≤ 1.1')
  against('REST, 500 a second: all CPU ÷ raw-io', 'all', 'submit 500', 'raw-io', '≤ 1.5')
  const [followed, alone] = (['lead-intake-followed', 'lead-intake'] as const).map((name) =>
    series('all', 'submit 500', name),
  )
  row(
    'the same with the feed followed ÷ without',
    ratio(followed ?? [], alone ?? []),
    '',
    commitOf(cellsOf('submit 500', 'lead-intake')),
  )
  against('gRPC, 1,000 a second: all CPU ÷ connect-node', 'all', 'gRPC', 'connect', '≤ 0.85')
  against('Connect JSON, 1,000 a second: all CPU ÷ connect-node', 'all', 'Connect JSON', 'connect', '≤ 1.2')
  for (const connections of overloadConnections) {
    const twice = overloads(connections, 2)
    const what = `twice the capacity, ${connections} connections`
    row(
      `${what}: goodput ÷ peak`,
      twice.map(({ goodput, peak }) => goodput / peak),
      '≥ 0.8',
      commitOf(twice),
    )
    row(
      `${what}: p99 of the accepted, s`,
      twice.map(({ p99 }) => p99 / 1_000),
      '≤ 2',
      commitOf(twice),
    )
  }
  row(
    'overload: leads counted on the fallback',
    run.overload.map(({ fallbacks }) => fallbacks),
    '≤ 0',
  )
  for (const [status, what] of [
    ['429', 'a refusal (429)'],
    ['200', 'a document, 200'],
    ['304', 'a document, 304'],
  ] as const)
    against(`${what}: CPU ÷ bare Koa`, 'server', status, 'bare-koa', '≤ 1.3')
  row(
    'idle: memory, MiB',
    run.idle.map(({ mebibytes }) => mebibytes),
    '≤ 90',
  )
  row(
    'idle: CPU, % of a core',
    run.idle.map(({ cpuPercent }) => cpuPercent),
    '≤ 0.3',
  )
  row(
    'idle: wake-ups a second',
    run.idle.map(({ wakeUps }) => wakeUps),
    '≤ 10',
  )
  row('feed: leads a second to one consumer, from SQLite', run.drain, '≥ 5000')
  for (const [what, ratios] of Object.entries(run.growth))
    row(`CPU at 1,000,000 leads ÷ 1,000, ${what}`, ratios, '≤ 1.5')
  return `${head}\n${rows.join('\n')}`
}

const colors = ['#0b7285', '#e8a33d', '#a61e4d']

const text = (x: number, y: number, content: string, size = 12, weight = 400) =>
  `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}">${content}</text>`

/** Draws goodput by offered load, both as multiples of the peak. */
export function renderChart({ overload, machine, takenAt, generations }: Results): string {
  const [left, bottom, width, height] = [70, 300, 150, 220]
  const at = (offer: number, share: number) =>
    `${(left + offer * width).toFixed(1)} ${(bottom - share * height).toFixed(1)}`
  const lines = overloadConnections.map((connections, index) => {
    const points = offers.map((offer) => {
      const of = overload.filter((one) => one.connections === connections && one.offer === offer)
      return { offer, share: estimate(of.map(({ goodput, peak }) => goodput / peak)) }
    })
    const color = colors[index]
    const line = `<path d="M${points.map(({ offer, share }) => at(offer, share.middle)).join('L')}" stroke="${color}" stroke-width="2" fill="none"/>`
    const whiskers = points.map(({ offer, share }) => `M${at(offer, share.low)}L${at(offer, share.high)}`).join('')
    return `${line}<path d="${whiskers}" stroke="${color}"/>${text(left + 620, 100 + index * 20, `<tspan fill="${color}">■</tspan> ${connections} connections`)}`
  })
  const marks = offers.map((offer) => text(left + offer * width - 8, bottom + 18, String(offer)))
  const levels = [0, 0.5, 1].map(
    (share) =>
      `<path d="M${at(0, share)}L${at(4, share)}" stroke="#d0d7de"/>${text(left - 34, bottom - share * height + 4, share.toFixed(1))}`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 370" role="img" fill="#1f2933" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">
<title>Leads stored in time, by offered load</title>
<rect width="860" height="370" rx="8" fill="#ffffff"/>
${[
  text(24, 34, 'Leads stored a second, by leads offered a second', 18, 700),
  text(24, 56, 'Both ÷ the peak. An open loop: what is offered does not wait for answers.', 12),
  ...levels,
  `<path d="M${at(0, 0)}L${at(1, 1)}" stroke="#aab4c0" stroke-dasharray="4 4"/>`,
  ...lines,
  ...marks,
  text(
    24,
    350,
    `${takenAt.slice(0, 10)} on ${machine.cores} cores of ${machine.cpu}. Median and range of ${generations} generations of processes.`,
    10,
  ),
].join('\n')}
</svg>
`
}
