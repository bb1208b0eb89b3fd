import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'

/** Source maps of bundled files, by file URL. Null: the file has none. */
const maps = new Map<string, SourceMap | null>()

/** Loaded at the first error. Node's `--enable-source-maps` loads all of them at the start, for 100 ms and 36 MB. */
function mapOf(url: string): SourceMap | null {
  let map = maps.get(url)
  if (map === undefined) {
    try {
      map = new SourceMap(JSON.parse(readFileSync(new URL(`${url}.map`), 'utf8')))
    } catch {
      map = null
    }
    maps.set(url, map)
  }
  return map
}

/** Translates a stack frame in a bundle to its source position, using the source map next to the bundle. */
export function atSource(frame: string): string {
  return frame.replace(/(file:[^\s()]+\.js):(\d+):(\d+)/, (place, url: string, line: string, column: string) => {
    const origin = mapOf(url)?.findOrigin(Number(line), Number(column))
    if (origin === undefined || !('fileName' in origin)) return place
    return `${new URL(origin.fileName, url)}:${origin.lineNumber}:${origin.columnNumber}`
  })
}
