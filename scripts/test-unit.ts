// Runs the tests that need only this process: no containers, browsers or child processes. They take seconds.
//   npm run test:unit                 all of them
//   npm run test:unit -- --coverage   the same, plus a report of covered lines in src/
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Modules for servers, containers, browsers and processes. A test that imports one of them is not a unit test. */
const heavy = /^test\/(support\/(backends|browser|process|service)|image\/|drills\/|k8s\/overlay)/

const known = new Map<string, boolean>()

/** Whether a test file, or a file below `test/` that it imports, needs more than this process. */
function isHeavy(file: string): boolean {
  const found = known.get(file)
  if (found !== undefined) return found
  known.set(file, false)
  const imports = [...readFileSync(join(root, file), 'utf8').matchAll(/from '(\.[^']+\.ts)'/g)]
  const ours = imports.map(([, path]) => relative(root, join(root, dirname(file), path as string)))
  const answer = ours.some((path) => heavy.test(path) || (path.startsWith('test/') && isHeavy(path)))
  known.set(file, answer)
  return answer
}

const folders = ['config', 'lead', 'limit', 'ops', 'problem', 'rest']
const files = folders
  .flatMap((folder) => globSync(`test/${folder}/**/*.test.ts`, { cwd: root }))
  .filter((f) => !isHeavy(f))
const coverage = process.argv.includes('--coverage')
  ? [
      '--experimental-test-coverage',
      '--test-coverage-include=src/**',
      '--test-coverage-exclude=src/gen/**',
      '--test-reporter-destination=stdout',
      '--test-reporter=./scripts/coverage-report.ts',
      '--test-reporter-destination=stdout',
    ]
  : []
const { status } = spawnSync(
  process.execPath,
  ['--test', '--test-isolation=none', '--test-reporter=dot', ...coverage, ...files],
  { cwd: root, stdio: 'inherit' },
)
process.exitCode = status ?? 1
