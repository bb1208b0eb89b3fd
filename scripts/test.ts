// `npm test`: all tests. `npm test -- FILE…`: only these files. Runs two files at a time, except for tests that make a
// fleet fail and measure it: those run alone.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const needsAll = /^test\/(drills|hostile)\//

function run(files: readonly string[], concurrency: number): boolean {
  if (files.length === 0) return true
  const options = [
    '--import=./test/support/ending.ts',
    '--test',
    `--test-concurrency=${concurrency}`,
    '--test-global-setup=test/support/global-setup.ts',
    // Per test. `ending.ts` limits the time of a whole file.
    '--test-timeout=300000',
  ]
  return spawnSync(process.execPath, [...options, ...files], { cwd: root, stdio: 'inherit' }).status === 0
}

const named = process.argv.slice(2)
const files = (named.length > 0 ? named : globSync('test/**/*.test.ts', { cwd: root })).toSorted()
const outcomes = [
  run(
    files.filter((file) => !needsAll.test(file)),
    2,
  ),
  run(
    files.filter((file) => needsAll.test(file)),
    1,
  ),
]
process.exitCode = outcomes.every(Boolean) ? 0 : 1
