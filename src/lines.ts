import { createReadStream } from 'node:fs'

/** Longer than any line of the log. A longer one is part of another kind of file, and could fill the memory. */
const lineMax = 1_048_576

/**
 * Reads the lines of a text file. A line of more than a mebibyte is left out, and reported by `onOverlong`. Rejects when
 * the file cannot be read.
 */
export async function* readLines(path: string, onOverlong = () => {}): AsyncGenerator<string> {
  let line = ''
  let isOverlong = false
  for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    const parts = chunk.split('\n')
    for (const [index, part] of parts.entries()) {
      if (!isOverlong && line.length + part.length > lineMax) {
        isOverlong = true
        onOverlong()
      }
      line = isOverlong ? '' : line + part
      if (index === parts.length - 1) break
      if (!isOverlong) yield line
      line = ''
      isOverlong = false
    }
  }
  if (line !== '') yield line
}
