/** The result of a drill. Times in milliseconds. */
export interface Result {
  drill: string
  /** Answers per second. */
  perSecond: number
  acknowledged: number
  stored: number
  /** The most submissions beyond the limit that one client was admitted, and how many the design allows. */
  overAdmitted: number
  overAdmittedBound: number
  longestOutageMs: number
  longestRequestMs: number
  /** The times until every replica reported the failure, and until every replica had recovered. Absent: not visible. */
  toldMs: number | undefined
  backMs: number | undefined
}

const seconds = (ms: number | undefined) => (ms === undefined ? '–' : `${(ms / 1000).toFixed(1)} s`)

type Columns = readonly [title: string, cell: (result: Result) => string][]

const columns: Columns = [
  ['drill', ({ drill }) => drill],
  ['load held', ({ perSecond }) => `${Math.round(perSecond)}/s`],
  ['acknowledged', ({ acknowledged }) => `${acknowledged}`],
  ['stored', ({ stored }) => `${stored}`],
  ['over-admitted', ({ overAdmitted, overAdmittedBound }) => `${overAdmitted} (at most ${overAdmittedBound})`],
  ['longest outage', ({ longestOutageMs }) => seconds(longestOutageMs)],
  ['longest request', ({ longestRequestMs }) => seconds(longestRequestMs)],
  ['told after', ({ toldMs }) => seconds(toldMs)],
  ['back after', ({ backMs }) => seconds(backMs)],
]

/** The rows of the results table. */
const summary: Columns = [
  ['case', ({ drill }) => drill],
  ['acknowledged', ({ acknowledged }) => `${acknowledged}`],
  ['stored', ({ stored }) => `${stored}`],
  ['longest gap', ({ longestOutageMs }) => seconds(longestOutageMs)],
  ['healed after', ({ backMs }) => seconds(backMs)],
  ['truth told after', ({ toldMs }) => seconds(toldMs)],
]

export function formatSummary(results: readonly Result[]): string {
  return layOut(results, summary)
}

export function formatTable(results: readonly Result[]): string {
  return layOut(results, columns)
}

/** Formats results as a Markdown table that is aligned for terminals. */
function layOut(results: readonly Result[], columns: Columns): string {
  const rows = [columns.map(([title]) => title), ...results.map((result) => columns.map(([, cell]) => cell(result)))]
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const line = (cells: string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
