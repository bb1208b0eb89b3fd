// Draws docs/dashboard.svg: the dashboard's panels, from a real Prometheus that scrapes a real service for a minute
// under load, in which a third of the submissions are invalid. Needs Debian's prometheus. Run `node
// scripts/draw-dashboard.ts`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Panel, readPanels, type Series, startPrometheus } from '../test/k8s/prometheus.ts'
import { post } from '../test/support/http.ts'
import { startService } from '../test/support/service.ts'
import { quote } from '../test/support/submissions.ts'

const seconds = 60
const columns = 3
const cell = { width: 400, height: 170, left: 52, top: 34, bottom: 40 }
const colors = ['#0b7285', '#e8590c', '#5f3dc4', '#2b8a3e', '#c92a2a', '#868e96']
const ink = { text: '#1f2933', soft: '#616e7c', rule: '#d9dee4' }

const escapeText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

function text(x: number, y: number, content: string, size = 11, fill = ink.text, anchor = 'start'): string {
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" text-anchor="${anchor}">${escapeText(content)}</text>`
}

function formatValue(value: number, unit: string): string {
  if (unit === 'percentunit') return `${Number((value * 100).toFixed(1))} %`
  if (unit === 'bytes') return `${Math.round(value / 2 ** 20)} MiB`
  if (unit === 's') return value < 1 ? `${Number((value * 1_000).toFixed(1))} ms` : `${Number(value.toFixed(1))} s`
  return String(value < 10 ? Number(value.toFixed(2)) : Math.round(value))
}

interface Line {
  label: string
  points: [atSeconds: number, value: number][]
}

function toLines(results: Series[], legend: string): Line[] {
  return results.map(({ metric, values }) => ({
    label: legend.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => metric[name] ?? ''),
    points: values
      .map(([at, value]) => [at, Number(value)] as Line['points'][number])
      .filter(([, v]) => Number.isFinite(v)),
  }))
}

function drawPanel({ title, type, fieldConfig }: Panel, lines: Line[], index: number): string {
  const unit = fieldConfig?.defaults.unit ?? 'short'
  const x = (index % columns) * cell.width
  const y = Math.floor(index / columns) * cell.height
  const parts = [text(12, 20, title, 13)]
  const points = lines.flatMap((line) => line.points)
  if (points.length === 0) {
    parts.push(text(12, 60, 'no data', 11, ink.soft))
  } else if (type === 'stat') {
    const shown = lines.map(
      ({ label, points: own }) => `${label ? `${label}: ` : ''}${formatValue(own.at(-1)?.[1] ?? 0, unit)}`,
    )
    parts.push(text(12, 86, shown.join(', '), 34, colors[0]))
  } else {
    const most = Math.max(...points.map(([, value]) => value)) || 1
    const first = Math.min(...points.map(([at]) => at))
    const span = Math.max(...points.map(([at]) => at)) - first || 1
    const width = cell.width - cell.left - 16
    const height = cell.height - cell.top - cell.bottom
    for (const part of [0, 0.5, 1]) {
      const at = cell.top + height * (1 - part)
      parts.push(`<path d="M${cell.left} ${at}h${width}" stroke="${ink.rule}"/>`)
      parts.push(text(cell.left - 4, at + 4, formatValue(most * part, unit), 9, ink.soft, 'end'))
    }
    let legendX = cell.left
    for (const [number, { label, points: own }] of lines.entries()) {
      const color = colors[number % colors.length] as string
      const path = own.map(([at, value]) => {
        const across = cell.left + ((at - first) / span) * width
        return `${across.toFixed(1)} ${(cell.top + height * (1 - value / most)).toFixed(1)}`
      })
      parts.push(`<path d="M${path.join('L')}" fill="none" stroke="${color}" stroke-width="1.5"/>`)
      if (legendX + label.length * 5.2 > cell.width) continue
      parts.push(text(legendX, cell.height - 18, label, 9, color))
      legendX += label.length * 5.2 + 10
    }
  }
  return `<g transform="translate(${x} ${y})">${parts.join('')}</g>`
}

await using service = await startService({ RATE_LIMIT: '20' })
await using prometheus = await startPrometheus({ 'lead-intake-1': service.opsUrl })
const endMs = performance.now() + seconds * 1_000
for (let count = 0; performance.now() < endMs; count++) {
  // One client exceeds the limit; the others stay below it.
  const client = count % 9 === 0 ? '198.51.100.1' : `192.0.2.${count % 250}`
  const body =
    count % 6 === 0 ? { ...quote, phone: '555' } : { ...quote, notes: `Drawn ${count % 5 === 0 ? 0 : count}` }
  await post(service.url, count % 17 === 0 ? '{' : body, { client })
  await new Promise((resolve) => setTimeout(resolve, 8 + 20 * Math.sin(count / 150) ** 2))
}
const drawn: string[] = []
for (const panel of readPanels('5s')) {
  const lines: Line[] = []
  for (const { expr, legendFormat } of panel.targets ?? [])
    lines.push(...toLines(await prometheus.queryRange(expr, seconds), legendFormat))
  const moved = lines.filter(({ points }) => panel.type === 'stat' || points.some(([, value]) => value !== 0))
  if (moved.length > 0) drawn.push(drawPanel(panel, moved, drawn.length))
}
const height = Math.ceil(drawn.length / columns) * cell.height
writeFileSync(
  join(import.meta.dirname, '../docs/dashboard.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${columns * cell.width} ${height}" font-family="system-ui, sans-serif"><title>The dashboard after a minute of load</title><rect width="100%" height="100%" fill="#fff"/>\n${drawn.join('\n')}\n</svg>\n`,
)
