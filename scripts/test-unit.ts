// `npm run test:unit`: the tests that need nothing but Node, in one process and seconds. `npm run test:unit -- FILE…`:
// some files. `-- --coverage`: also the covered lines of src/.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { run } from 'node:test'
import { dot, spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'

/** Files that start servers, containers, browsers or programs. A test that imports one of them is not a unit test. */
const heavyFile = /^test\/(support\/(backends|browser|container|service|consumers)|store\/sqlite\/)/
const heavyPackage = /^(node:(child_process|worker_threads|net|https?|http2|tls)|playwright-core|testcontainers)$/

/** Whether a file below `test/`, or one that it imports, needs more than this process. */
function isHeavy(file: string): boolean {
  if (heavyFile.test(file)) return true
  const imports = [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) [^']*'([^']+)'/gm)]
  return imports.some(([, name = '']) => {
    const path = join(dirname(file), name)
    return name.startsWith('.') ? path.startsWith('test/') && isHeavy(path) : heavyPackage.test(name)
  })
}

process.chdir(join(import.meta.dirname, '..'))
const { values, positionals } = parseArgs({ options: { coverage: { type: 'boolean' } }, allowPositionals: true })
const files =
  positionals.length > 0
    ? positionals
    : globSync('test/**/*.test.ts', { exclude: ['**/node_modules/**'] }).filter((file) => !isHeavy(file))
const counts = { passed: 0, failed: 0 }

async function* runFiles() {
  const coverage = { coverage: true, coverageIncludeGlobs: 'src/**' }
  for await (const event of run({ files, isolation: 'none', ...(values.coverage && coverage) })) {
    if (event.type === 'test:summary' && event.data.file === undefined) {
      const { passed, failed = 0, cancelled = 0 } = event.data.counts as Record<string, number>
      Object.assign(counts, { passed, failed: failed + cancelled || Number(!event.data.success) })
    }
    yield event
  }
}

const report = values.coverage ? Readable.from(runFiles()).compose(new spec()) : dot(runFiles())
for await (const text of report) process.stdout.write(text)
console.log(`\n${counts.passed} passed, ${counts.failed} failed`)
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1
