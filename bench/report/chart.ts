import { contestants } from '../contestants.ts'
import { estimate, estimateRatio, type Figures, rounds } from '../measure/estimate.ts'
import { workloads } from '../workloads.ts'
import { type Results, samplesOf } from './results.ts'

const width = 940
const rowHeight = 50
const top = 92
/** The left edge, and the length of the longest bar, of each half. */
const rate = { x: 262, length: 200 }
const cpu = { x: 570, length: 250 }
const colour = { ink: '#1f2933', soft: '#616e7c', rule: '#d9dee4', other: '#aab4c0', ours: '#0b7285' }
const parts = [
  { figure: 'serverCpu', name: 'server', fill: '#0b7285', legendX: 0 },
  { figure: 'postgresCpu', name: 'PostgreSQL', fill: '#66b2c2', legendX: 64 },
  { figure: 'redisCpu', name: 'Redis', fill: '#e8a33d', legendX: 154 },
] as const satisfies readonly { figure: keyof Figures; name: string; fill: string; legendX: number }[]

interface Text {
  size?: number
  fill?: string
  weight?: number
}

function text(
  x: number,
  y: number,
  content: string,
  { size = 12, fill = colour.ink, weight = 400 }: Text = {},
): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${fill}">${escaped}</text>`
}

function bar(x: number, y: number, length: number, fill: string): string {
  return `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(length, 0.5).toFixed(1)}" height="20" fill="${fill}"/>`
}

/** Draws a run's REST submissions: how many per second compared with the yardstick, and the CPU time of 1,000. */
export function renderChart(results: Results): string {
  const { contestants: names, baseline } = workloads.submit
  const yardstick = samplesOf(results, 'submit', baseline)
  const entries = names
    .map((name) => {
      const samples = samplesOf(results, 'submit', name)
      return { name, figures: estimate(samples), ratio: estimateRatio('perSecond', samples, yardstick) }
    })
    .toSorted((a, b) => b.ratio - a.ratio)
  const totalCpu = (figures: Figures) => parts.reduce((sum, { figure }) => sum + figures[figure], 0)
  const ratioMax = Math.max(...entries.map(({ ratio }) => ratio))
  const cpuMax = Math.max(...entries.map(({ figures }) => totalCpu(figures)))

  const rows = entries.flatMap(({ name, figures, ratio }, i) => {
    const y = top + i * rowHeight
    const ours = name === 'lead-intake'
    const length = (ratio / ratioMax) * rate.length
    let x = cpu.x
    const stack = parts.map(({ figure, fill }) => {
      const share = (figures[figure] / cpuMax) * cpu.length
      x += share
      return bar(x - share, y, share, fill)
    })
    return [
      text(24, y + 8, contestants[name].label, { size: 14, weight: ours ? 700 : 600 }),
      text(24, y + 23, contestants[name].parts, { size: 10, fill: colour.soft }),
      bar(rate.x, y, length, ours ? colour.ours : colour.other),
      text(rate.x + length + 6, y + 14.5, ratio.toFixed(2), { weight: ours ? 700 : 400 }),
      ...stack,
      text(x + 6, y + 14.5, totalCpu(figures).toFixed(3), { weight: ours ? 700 : 400 }),
    ]
  })
  const legend = parts.flatMap(({ name, fill, legendX }) => {
    const x = cpu.x + legendX
    return [
      `<rect x="${x}" y="62" width="10" height="10" fill="${fill}"/>`,
      text(x + 15, 71, name, { size: 11, fill: colour.soft }),
    ]
  })
  const bottom = top + entries.length * rowHeight
  const { machine, takenAt, secondsPerRound } = results
  const taken = `${takenAt.slice(0, 10)} on ${machine.cores} cores of ${machine.cpu}: Node ${machine.node.slice(1)}, PostgreSQL ${machine.postgres}, Redis ${machine.redis}.`
  const how = `64 connections, a new client each request, every lead durable before its 201. Median of ${rounds} interleaved rounds of ${secondsPerRound} s.`

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 48}" role="img" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">
<title>REST submissions: ${entries.map(({ name, ratio }) => `${contestants[name].label} ${ratio.toFixed(2)}`).join(', ')} × raw-io</title>
<rect x="0.5" y="0.5" width="${width - 1}" height="${bottom + 47}" rx="8" fill="#ffffff" stroke="${colour.rule}"/>
${[
  text(24, 34, 'REST submissions', { size: 18, weight: 700 }),
  text(rate.x, 34, 'a second, × raw-io', { size: 13, weight: 600 }),
  text(rate.x, 51, 'longer is better', { size: 11, fill: colour.soft }),
  text(cpu.x, 34, 'CPU seconds for 1,000 of them', { size: 13, weight: 600 }),
  text(cpu.x, 51, 'shorter is better', { size: 11, fill: colour.soft }),
  ...legend,
  ...rows,
  `<line x1="24" y1="${bottom + 2}" x2="${width - 24}" y2="${bottom + 2}" stroke="${colour.rule}"/>`,
  text(24, bottom + 20, taken, { size: 10, fill: colour.soft }),
  text(24, bottom + 34, how, { size: 10, fill: colour.soft }),
].join('\n')}
</svg>
`
}
