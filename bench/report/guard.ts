import { estimateRatio } from '../measure/estimate.ts'
import type { Cell, Results } from './results.ts'
import { samplesOf } from './results.ts'

/** By how much a request's CPU time may exceed the committed run's, both relative to `raw-io` in the same run. */
export const tolerance = 0.15

/** Whether the guard watches this cell: the service's own, in every workload. */
const isOurs = ({ contestant }: Cell) => contestant.startsWith('lead-intake')

/**
 * Compares a run with the committed one. Returns a line per watched figure, and whether all are within the tolerance.
 */
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
