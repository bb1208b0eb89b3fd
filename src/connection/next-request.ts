import type { IncomingMessage } from 'node:http'

const emptyLine = '\r\n\r\n'

/** How much of a URL to search for, so that the search stays linear. */
const urlMaxLength = 100

/**
 * Where an incomplete request begins in the bytes just read, after the end of the request before it. Node's parser does
 * not say. `taken` is the request before, if these bytes contain the end of its head, and `contentBytes` how much of its
 * content they contain (without the framing of chunks). Content that quotes its own request line can lead to a wrong
 * result. The fields of a later error would then be those of another path.
 */
export function nextRequest(bytes: Buffer, taken: IncomingMessage | undefined, contentBytes: number): number {
  const lastEmptyLine = bytes.lastIndexOf(emptyLine)
  let end = contentBytes
  if (taken && contentBytes > 0) {
    // Content can contain empty lines too, so search for the request's own head. Not found: an earlier read began it.
    const line = `${taken.method} ${taken.url?.slice(0, urlMaxLength)}`
    const head = bytes.lastIndexOf(line, lastEmptyLine, 'latin1')
    end += bytes.indexOf(emptyLine, Math.max(head, 0)) + emptyLine.length
  }
  // An incomplete head has no empty line, so any is part of what came before: a head, chunks, or trailers.
  if (lastEmptyLine >= 0) end = Math.max(end, lastEmptyLine + emptyLine.length)
  // Line breaks before a request are ignored (RFC 9112 §2.2). They may also be the rest of an empty line.
  while (bytes[end] === 0x0d || bytes[end] === 0x0a) end++
  return end
}
