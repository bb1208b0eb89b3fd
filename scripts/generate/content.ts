import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = 'src/site/content'

/** Reads a text that people write: a page, a sample, the layout. An error names the file. */
export function readContent(name: string): string {
  try {
    return readFileSync(join(import.meta.dirname, '../..', folder, name), 'utf8')
  } catch {
    throw new Error(`write ${folder}/${name}`)
  }
}
