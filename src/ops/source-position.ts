import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'

/** The maps of bundled files, by their URLs; null: a file without one. */
const maps = new Map<string, SourceMap | null>()

/** Read with the first error: Node's own option reads all of them at the start, for 100 ms and 36 MB. */
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

/** A stack's frame with its place in the source, where it lies in a bundle whose source map is beside it. */
export function atSource(frame: string): string {
  return frame.replace(/(file:[^\s()]+\.js):(\d+):(\d+)/, (place, url: string, line: string, column: string) => {
    const origin = mapOf(url)?.findOrigin(Number(line), Number(column))
    if (origin === undefined || !('fileName' in origin)) return place
    return `${new URL(origin.fileName, url)}:${origin.lineNumber}:${origin.columnNumber}`
  })
}
