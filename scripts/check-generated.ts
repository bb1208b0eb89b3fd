// Fails when src/gen is not what `npm run generate` creates from the proto files. Does not modify the working tree.
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'generated-'))
const run = (command: string, args: string[]) => execFileSync(command, args, { cwd: root, stdio: 'inherit' })

function read(folder: string): Map<string, string> {
  return new Map(globSync('**/*.ts', { cwd: folder }).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

try {
  run('buf', ['generate', '--output', scratch])
  run('node', ['scripts/print-comments.ts', scratch])
  const committed = read(join(root, 'src/gen'))
  const fresh = read(join(scratch, 'src/gen'))
  const stale = [...new Set([...committed.keys(), ...fresh.keys()])].filter(
    (name) => committed.get(name) !== fresh.get(name),
  )
  if (stale.length > 0) {
    console.error(`Generated code is stale: run \`npm run generate\` and commit src/gen.\n${stale.join('\n')}`)
    process.exitCode = 1
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
