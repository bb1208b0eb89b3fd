import { median } from '../measure/estimate.ts'

/** The result of one round of one case: submissions per second, and CPU seconds per 1,000. */
export interface ScaleRow {
  perSecond: number
  server: number
  postgres: number
  redis: number
}

/** A Markdown table of the cases: medians, and median ratios to the first case in the same round. */
export function compareScales(cases: Readonly<Record<string, readonly ScaleRow[]>>): string {
  const names = Object.keys(cases)
  const first = cases[names[0] as string] as readonly ScaleRow[]
  const cell = (rows: readonly ScaleRow[], key: keyof ScaleRow, digits: number) => {
    const ratio = median(rows.map((row, round) => row[key] / (first[round] as ScaleRow)[key]))
    return `${median(rows.map((row) => row[key])).toFixed(digits)} (× ${ratio.toFixed(2)})`
  }
  const lines = names.map((name) => {
    const rows = cases[name] as readonly ScaleRow[]
    const cells = [
      cell(rows, 'perSecond', 0),
      cell(rows, 'server', 4),
      cell(rows, 'postgres', 4),
      cell(rows, 'redis', 4),
    ]
    return `| ${name} | ${cells.join(' | ')} |`
  })
  return ['| | per second | server CPU s/1k | PostgreSQL s/1k | Redis s/1k |', '|---|---|---|---|---|', ...lines].join(
    '\n',
  )
}
