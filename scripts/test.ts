// `npm test`: all tests. `npm test -- [FILE…] [--only NAME]`: some files; the tests whose name has a part. Runs two
// files at a time, except for tests that make a fleet fail.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts'

const root = join(import.meta.dirname, '..')
const needsAll = /^test\/drills\//
const counts = { passed: 0, failed: 0, skipped: 0 }
const reasons = new Set<string>()
/** What the runner says at the end of each of its runs. This script says it once, for all of them. */
const summaryLine = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) \d/

async function* runFiles(files: string[], concurrency: number) {
  if (files.length === 0) return
  const stream = run({
    files: files.map((file) => join(root, file)),
    concurrency,
    cwd: root,
    execArgv: ['--import=./test/support/ending.ts'],
    // Per test, in milliseconds. `ending.ts` limits the time of a whole file.
    timeout: 300_000,
    ...(values.only !== undefined && { testNamePatterns: values.only }),
  })
  for await (const event of stream) {
    if (event.type === 'test:summary' && event.data.file === undefined) {
      const { passed, failed = 0, cancelled, skipped, todo } = event.data.counts as Record<string, number>
      counts.passed += passed ?? 0
      // A suite or a file fails without a test when it takes too long or does not end.
      counts.failed += failed + (cancelled ?? 0) || Number(!event.data.success)
      counts.skipped += (skipped ?? 0) + (todo ?? 0)
    } else if (event.type === 'test:pass' && event.data.skip) {
      // The runner does not count a skipped suite.
      if (event.data.details.type === 'suite') counts.skipped++
      reasons.add(`${event.data.skip}`)
      yield event
    } else if (event.type !== 'test:diagnostic' || !summaryLine.test(event.data.message)) yield event
  }
}

async function* runAll() {
  yield* runFiles(
    files.filter((file) => !needsAll.test(file)),
    2,
  )
  yield* runFiles(
    files.filter((file) => needsAll.test(file)),
    1,
  )
}

const { values, positionals } = parseArgs({
  options: { only: { type: 'string' } },
  allowPositionals: true,
})
const files = (
  positionals.length > 0 ? positionals : globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] })
).toSorted()
await globalSetup()
try {
  for await (const text of Readable.from(runAll()).compose(new spec())) process.stdout.write(text)
} finally {
  await globalTeardown()
}
const { passed, failed, skipped } = counts
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)
for (const reason of reasons) console.log(`Skipped: ${reason}`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
