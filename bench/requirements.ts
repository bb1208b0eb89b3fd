import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { goLibraries } from '../test/support/go-program.ts'

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

/** What builds the peer in Go, which is optional: programs and libraries, each with its Debian package. */
const goNeeds: readonly { what: string; isThere(): boolean; debian: string }[] = [
  { what: 'go', isThere: () => isInstalled('go'), debian: 'golang-go' },
  { what: 'protoc', isThere: () => isInstalled('protoc'), debian: 'protobuf-compiler' },
  { what: 'protoc-gen-go', isThere: () => isInstalled('protoc-gen-go'), debian: 'protoc-gen-go-1-5' },
  { what: 'protoc-gen-go-grpc', isThere: () => isInstalled('protoc-gen-go-grpc'), debian: 'protoc-gen-go-grpc' },
  { ...goLibrary('google.golang.org/protobuf'), debian: 'golang-google-protobuf-dev' },
  { ...goLibrary('google.golang.org/grpc'), debian: 'golang-google-grpc-dev' },
  { ...goLibrary('github.com/jackc/pgx/v4'), debian: 'golang-github-jackc-pgx-v4-dev' },
]

function goLibrary(what: string): { what: string; isThere(): boolean } {
  return { what, isThere: () => existsSync(join(goLibraries, 'src', what)) }
}

/** Why the peer in Go cannot be built, and how to change that. Undefined if it can be built. */
export function explainWithoutGo(needs = goNeeds): string | undefined {
  const missing = needs.filter(({ isThere }) => !isThere())
  if (missing.length === 0) return undefined
  const names = missing.map(({ what }) => what).join(', ')
  return `The peer in Go is left out, because it needs ${names}: apt-get install ${missing.map(({ debian }) => debian).join(' ')}`
}

/** Throws when a required tool is missing, and says how to install it. */
export function requireTools(): void {
  const missing = needs.filter(({ isThere }) => !isThere()).map(({ what, hint }) => `needs ${what}: ${hint}`)
  if (missing.length > 0) throw new Error(missing.join('\n'))
}
