import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A new folder, which is removed when the process ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lead-intake-'))
  folders.push(folder)
  return folder
}

/** For a test's `skip`: why it is skipped if a program is missing, as `npm test` prints at its end. In CI, it fails. */
export function skipWithout(...tools: string[]): string | false {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const missing = tools.filter((tool) => !folders.some((folder) => existsSync(join(folder, tool))))
  return skipFor(missing.length > 0 && `${missing.join(', ')}: see .ci/run`)
}

/** For a test's `skip`: the reason when a file is missing, and how to create it. */
export const skipWithoutFile = (path: string, remedy: string) => skipFor(!existsSync(path) && `${path}: ${remedy}`)

/** Other people's programs that tests run or compare with, in a package of their own. */
export const othersPackages = join(import.meta.dirname, '../generators/node_modules')
export const skipWithoutOthers = (name = 'orval') =>
  skipWithoutFile(join(othersPackages, name), 'run `npm ci --prefix test/generators`')

/** For a test's `skip`: the reason, unless nothing is missing. In CI, that is a failure. */
function skipFor(missing: string | false): string | false {
  if (missing && process.env.CI === 'true') throw new Error(`In CI nothing is skipped, but this is missing: ${missing}`)
  return missing && `needs ${missing}`
}
