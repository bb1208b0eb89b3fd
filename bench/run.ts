import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { plans } from './plan.ts'
import { renderChart } from './report/chart.ts'
import { renderGoals } from './report/goals.ts'
import { compareWithCommitted } from './report/guard.ts'
import { type Results, readCommitted, saveResult } from './report/results.ts'
import { renderStalls, renderStarts, renderTable } from './report/table.ts'
import { requireTools } from './requirements.ts'
import { runSession } from './session.ts'

const { values: options } = parseArgs({ options: { quick: { type: 'boolean' }, guard: { type: 'boolean' } } })
const plan = options.guard ? plans.guard : options.quick ? plans.quick : plans.full

// On a disk, not under /tmp, which may be in memory.
const directory = join(import.meta.dirname, 'data', String(process.pid))
const stack = new AsyncDisposableStack()
let succeeded = false
stack.defer(() => {
  // Keep the logs of a failed run.
  if (succeeded) rmSync(directory, { recursive: true })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stack.disposeAsync().finally(() => process.exit(1)))
}

function report(results: Results, committed: Results | undefined): void {
  if (committed) {
    const { text, passed } = compareWithCommitted(results, committed)
    console.log(`\n${text}`)
    process.exitCode = passed ? 0 : 1
    return
  }
  const tables = [
    renderTable(results),
    renderStarts(results),
    ...(results.stalls ? [renderStalls(results.stalls)] : []),
  ]
  console.log(`\n${[...tables, renderGoals(results)].join('\n\n')}\n`)
  console.log(saveResult(`${results.mode}.json`, `${JSON.stringify(results, null, 2)}\n`))
  if (results.mode === 'full') console.log(saveResult('chart.svg', renderChart(results)))
}

try {
  requireTools()
  const committed = options.guard ? readCommitted() : undefined
  // Bundle the current source, as for the image.
  execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/build.ts')], { stdio: 'inherit' })
  report(await runSession({ plan, directory, stack, say: console.log }), committed)
  succeeded = true
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  if (existsSync(directory)) console.error(`The servers' logs are in ${directory}`)
  process.exitCode = 1
} finally {
  await stack.disposeAsync()
}
