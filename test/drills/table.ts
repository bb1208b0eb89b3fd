/** What a drill has shown. Times in milliseconds. */
export interface Result {
  drill: string
  /** Answers a second. */
  perSecond: number
  acknowledged: number
  stored: number
  /** Submissions beyond the limit that one client was admitted at most, and how many the design allows. */
  overAdmitted: number
  overAdmittedBound: number
  longestOutageMs: number
  longestRequestMs: number
  /** Until every replica said what was amiss, and until every replica was in order after its end; none: not visible. */
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

/** What somebody wants to know before a release. */
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

/** Lays results out as a table in Markdown, its columns aligned for a terminal. */
function layOut(results: readonly Result[], columns: Columns): string {
  const rows = [columns.map(([title]) => title), ...results.map((result) => columns.map(([, cell]) => cell(result)))]
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const line = (cells: string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
