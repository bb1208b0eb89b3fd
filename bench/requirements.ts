import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const needs: readonly { what: string; isThere(): boolean; hint: string }[] = [
  {
    what: '/proc, for CPU times',
    isThere: () => existsSync('/proc/self/stat'),
    hint: 'run it on Linux',
  },
  {
    what: 'the packages of the peers',
    isThere: () => existsSync(join(import.meta.dirname, 'node_modules/fastify')),
    hint: 'npm ci --prefix bench',
  },
  { what: 'wrk', isThere: () => isInstalled('wrk'), hint: 'apt-get install wrk' },
  { what: 'h2load', isThere: () => isInstalled('h2load'), hint: 'apt-get install nghttp2-client' },
]

function isInstalled(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined
}

/** Throws when a required tool is missing, and says how to install it. */
export function requireTools(): void {
  const missing = needs.filter(({ isThere }) => !isThere()).map(({ what, hint }) => `needs ${what}: ${hint}`)
  if (missing.length > 0) throw new Error(missing.join('\n'))
}
