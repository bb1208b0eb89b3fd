import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Reads a file of this folder that is not code: a page, sample, layout or style sheet. The build copies these files
 * next to the bundle under the same names.
 */
export function readText(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8')
}
