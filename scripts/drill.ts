// Runs only the failure drills and prints their table: `npm run drill`. With `npm run drill -- --long`, soak tests of a
// quarter of an hour and more. Part of a drill's name selects it: `npm run drill -- Sentinel`.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({ options: { long: { type: 'boolean' } }, allowPositionals: true })
const { status } = spawnSync(
  process.execPath,
  [
    '--import',
    './test/support/ending.ts',
    '--test',
    '--test-global-setup=test/support/global-setup.ts',
    ...positionals.map((part) => `--test-name-pattern=${part}`),
    'test/drills/**/*.test.ts',
  ],
  {
    cwd: join(import.meta.dirname, '..'),
    stdio: 'inherit',
    env: { ...process.env, LEAD_TESTS: values.long ? 'long' : 'short' },
  },
)
process.exitCode = status ?? 1
