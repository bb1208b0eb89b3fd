import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// The build copies both folders beside the bundle.
const generated = import.meta.filename.endsWith('.ts') ? '../gen/site' : 'site'

/** Reads what `npm run generate` made of `content`. Its placeholders still need values. */
export function readGenerated(name: string): string {
  return readFileSync(join(import.meta.dirname, generated, name), 'utf8')
}

/** Reads a file that is served as it is, or with values only. */
export function readStatic(name: string): string {
  return readFileSync(join(import.meta.dirname, 'static', name), 'utf8')
}
