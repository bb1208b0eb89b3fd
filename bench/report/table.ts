import { type ContestantName, contestants, titleOf } from '../contestants.ts'
import { estimate, estimateRatio } from '../measure/estimate.ts'
import type { Stalls } from '../measure/stall.ts'
import { type Workload, type WorkloadName, workloads } from '../workloads.ts'
import { hasSamples, type Results, samplesOf } from './results.ts'

const header = [
  'server',
  'per second',
  '×',
  'p50 / p99 ms',
  'server CPU s/1k',
  '×',
  'PostgreSQL s/1k',
  '×',
  'Redis s/1k',
  'rows = acks',
]

/**
 * The results as a Markdown table: one row per server, grouped by workload. × is the ratio to the workload's first
 * server.
 */
export function renderTable(results: Results): string {
  const rows = (Object.keys(workloads) as WorkloadName[]).flatMap((name) => rowsOf(results, name))
  return align([header, ...rows])
}

function rowsOf(results: Results, name: WorkloadName): string[][] {
  const workload: Workload = workloads[name]
  const measured = workload.contestants.filter((contestant) => hasSamples(results, name, contestant))
  if (measured.length === 0) return []
  const baseline = samplesOf(results, name, workload.baseline)
  const rows = measured.map((contestant) => {
    const samples = samplesOf(results, name, contestant)
    const figures = estimate(samples)
    const ratio = (figure: keyof typeof figures) => estimateRatio(figure, samples, baseline).toFixed(2)
    const hasRows = workload.counts === 'rows'
    return [
      titleOf(contestants[contestant]),
      Math.round(figures.perSecond).toLocaleString('en'),
      ratio('perSecond'),
      `${figures.p50.toFixed(1)} / ${figures.p99.toFixed(1)}`,
      figures.serverCpu.toFixed(4),
      ratio('serverCpu'),
      hasRows ? figures.postgresCpu.toFixed(4) : '–',
      hasRows ? ratio('postgresCpu') : '–',
      hasRows ? figures.redisCpu.toFixed(4) : '–',
      hasRows ? 'yes' : '–',
    ]
  })
  return [[`**${workload.title}**`], ...rows]
}

/** The starts as a Markdown table. */
export function renderStarts({ starts }: Results): string {
  const rows = Object.entries(starts).map(([name, start]) => [
    titleOf(contestants[name as ContestantName]),
    start.firstAnswerMs.toFixed(0),
    start.idleMebibytes.toFixed(0),
  ])
  return align([['server', 'start to first answer, ms', 'idle memory, MiB'], ...rows])
}

/** A run's worst single requests as a Markdown table. */
export function renderStalls({ requests, worst }: Stalls): string {
  const rows = worst.map(({ what, ms }) => [`\`${what}\``, ms.toFixed(2)])
  return align([[`the worst of ${requests} requests, each filled with`, 'event loop, ms'], ...rows])
}

function align([head, ...rows]: string[][]): string {
  const columns = head ?? []
  const widths = columns.map((_, column) => Math.max(...[columns, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: string[]) =>
    `| ${widths.map((width, i) => (i === 0 ? (cells[i] ?? '').padEnd(width) : (cells[i] ?? '').padStart(width))).join(' | ')} |`
  const rule = `|${widths.map((width, i) => (i === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [line(columns), rule, ...rows.map(line)].join('\n')
}
