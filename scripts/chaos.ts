// Before a release: everything that the drills do to the service, and what operators and their tools do to it, with one
// line for each case. `npm run chaos`, a part of a case's name picks some: `npm run chaos -- PgBouncer`.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const patterns = process.argv.slice(2).map((part) => `--test-name-pattern=${part}`)
const { status } = spawnSync(
  process.execPath,
  ['--test', '--test-global-setup=test/support/global-setup.ts', ...patterns, 'test/drills/chaos.ts'],
  { cwd: join(import.meta.dirname, '..'), stdio: 'inherit' },
)
process.exitCode = status ?? 1
