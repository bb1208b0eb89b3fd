import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Reads one of this folder's files that are not code: pages, samples, the layout, the style sheet. The build copies them
 * beside the bundle under the same names.
 */
export function readText(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8')
}
