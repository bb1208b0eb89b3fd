import { contestants } from './contestants.ts'
import { type Figure, figure, type Results, ratio, rounds } from './report.ts'
import { workloads } from './workloads.ts'

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
  const rows = workloads.submit.contestants.map((name) => ({
    name,
    rate: ratio(results, 'perSecond', ['submit', name], ['submit', 'raw-io']),
    cpu: figure(results, 'allCpu', 'submit', name),
    shares: parts.map(([part]) => figure(results, part, 'submit', name)),
  }))
  const rateScale = 200 / Math.max(...rows.map(({ rate }) => rate))
  const cpuScale = 250 / Math.max(...rows.map(({ cpu }) => cpu))
  const drawn = rows.map(({ name, rate, cpu, shares }, row) => {
    const y = 92 + row * 50
    const { label, parts: made } = contestants[name]
    let x = 570
    const stack = shares.map((share, part) => {
      x += share * cpuScale
      return bar(x - share * cpuScale, y, share * cpuScale, parts[part]?.[2] ?? '')
    })
    return [
      text(24, y + 8, label, 14, 600),
      text(24, y + 23, made, 10),
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
