import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The Debian packages of programs that tests run, where they have another name than the program. */
const packages: Record<string, string> = {
  go: 'golang-go',
  grpc_python_plugin: 'protobuf-compiler-grpc',
  kubectl: 'kubernetes-client',
  php: 'php-cli',
  promtool: 'prometheus',
  protoc: 'protobuf-compiler',
  'protoc-gen-go': 'protoc-gen-go-1-5',
  script: 'bsdutils',
  uuidgen: 'uuid-runtime',
}

/** For a test's `skip`: the reason when a program is missing, which ends the output of `npm test`. In CI, that is a failure. */
export function skipWithout(...tools: string[]): string | false {
  const missing = tools.filter((tool) => find(tool) === undefined)
  return skipFor(missing.map((tool) => `${tool} (Debian: ${packages[tool] ?? tool})`).join(', '))
}

/** For a test's `skip`: the reason when a file is missing, and how to create it. */
export function skipWithoutFile(path: string, remedy: string): string | false {
  return skipFor(isReadable(path) ? '' : `${path}: ${remedy}`)
}

/** For a test's `skip`: the reason, unless nothing is missing. In CI, that is a failure. */
function skipFor(missing: string): string | false {
  if (missing === '') return false
  if (process.env.CI === 'true') throw new Error(`In CI nothing is skipped, but this is missing: ${missing}`)
  return `needs ${missing}`
}

function find(program: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find(isReadable)
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}
