// Fails when src/gen or docs/settings.md is not what `npm run generate` makes. Does not modify the
// working tree.
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'generated-'))
const run = (command: string, args: string[]) => execFileSync(command, args, { cwd: root, stdio: 'inherit' })

function read(folder: string): Map<string, string> {
  const names = globSync(['src/gen/**/*.*', 'docs/settings.md'], { cwd: folder })
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

try {
  run('buf', ['generate', '--output', scratch])
  run('node', ['scripts/generate.ts', scratch])
  const committed = read(root)
  const fresh = read(scratch)
  const stale = [...new Set([...committed.keys(), ...fresh.keys()])].filter(
    (name) => committed.get(name) !== fresh.get(name),
  )
  if (stale.length > 0) {
    console.error(`Generated files are stale: run \`npm run generate\` and commit them.\n${stale.join('\n')}`)
    process.exitCode = 1
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
