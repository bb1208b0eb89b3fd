// Release test: runs the failure drills plus the failures that operators and their tools can cause, and prints one line
// per case. `npm run chaos`. Part of a case's name selects cases: `npm run chaos -- PgBouncer`.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const patterns = process.argv.slice(2).map((part) => `--test-name-pattern=${part}`)
const { status } = spawnSync(
  process.execPath,
  ['--test', '--test-global-setup=test/support/global-setup.ts', ...patterns, 'test/drills/chaos.ts'],
  { cwd: join(import.meta.dirname, '..'), stdio: 'inherit' },
)
process.exitCode = status ?? 1
