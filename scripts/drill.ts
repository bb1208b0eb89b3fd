// Runs the failure drills alone and prints their table: `npm run drill`, and for soaks of a quarter of an hour and more
// `npm run drill -- --long`. A part of a drill's name picks one: `npm run drill -- Sentinel`.
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
