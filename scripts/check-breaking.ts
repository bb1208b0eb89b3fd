// Compares the proto files with main's using `buf breaking`. On main itself: with the previous commit.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

function resolve(revision: string): string | undefined {
  try {
    return git('rev-parse', '--verify', `${revision}^{commit}`)
  } catch {
    return undefined
  }
}

function findBase(): string | undefined {
  const head = resolve('HEAD')
  return [resolve('main'), resolve('origin/main'), resolve('HEAD~1')].find((commit) => commit && commit !== head)
}

/**
 * Before any deployment, the proto files had one incompatible change, when the inbox became a feed of changes. Commits
 * from before that are not compared.
 */
function isBeforeReset(commit: string): boolean {
  return !git('show', `${commit}:proto/leadintake/v1/lead.proto`).includes('enum ErasureReason')
}

const base = findBase()
if (base === undefined || git('ls-tree', '--name-only', base, '--', 'buf.yaml') === '') {
  console.log('buf breaking: no earlier commit of the proto files to compare with')
} else if (isBeforeReset(base)) {
  console.log(`buf breaking: ${base.slice(0, 12)} is older than the reset of the proto files`)
} else {
  const scratch = mkdtempSync(join(tmpdir(), 'breaking-'))
  try {
    const archive = execFileSync('git', ['archive', base, 'proto', 'third_party/proto'], { cwd: root })
    execFileSync('tar', ['-x', '-C', scratch], { input: archive })
    // Older commits have a different buf.yaml, and the oldest ones lack the copy of validate.proto.
    cpSync(join(root, 'buf.yaml'), join(scratch, 'buf.yaml'))
    cpSync(join(root, 'third_party/proto/buf'), join(scratch, 'third_party/proto/buf'), {
      recursive: true,
      force: false,
    })
    execFileSync('buf', ['breaking', '--against', scratch], { cwd: root, stdio: 'inherit' })
    console.log(`buf breaking: compatible with ${base.slice(0, 12)}`)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
