import { estimateRatio } from '../measure/estimate.ts'
import type { Cell, Results } from './results.ts'
import { samplesOf } from './results.ts'

/** How much more CPU a request may cost than in the committed run, both against `raw-io` of their own run. */
export const tolerance = 0.15

/** Whether the cell is one that the guard watches: the service's own, wherever requests cost CPU. */
const isOurs = ({ contestant }: Cell) => contestant.startsWith('lead-intake')

/** Compares a run with the committed one: a line for each watched figure, and whether all are within the tolerance. */
export function compareWithCommitted(now: Results, committed: Results): { text: string; passed: boolean } {
  const ratio = (results: Results, { workload, contestant }: Cell) =>
    estimateRatio('serverCpu', samplesOf(results, workload, contestant), samplesOf(results, 'submit', 'raw-io'))
  const rows = now.cells.filter(isOurs).map((cell) => {
    const [was, is] = [ratio(committed, cell), ratio(now, cell)]
    const passed = is <= was * (1 + tolerance)
    const change = `${is >= was ? '+' : ''}${((is / was - 1) * 100).toFixed(0)} %`
    return {
      passed,
      line: `${passed ? 'within ' : 'BEYOND '} ${cell.workload}: ${is.toFixed(2)} × raw-io, committed ${was.toFixed(2)} (${change})`,
    }
  })
  return { text: rows.map(({ line }) => line).join('\n'), passed: rows.every(({ passed }) => passed) }
}
