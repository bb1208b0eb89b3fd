import type { IncomingMessage, ServerResponse } from 'node:http'

/** How much of a refused body is read away, and for how long, so that the caller gets to read the answer. */
const drainMaxBytes = 1_048_576
const drainMaxMs = 1_000

/**
 * Sends an answer while the request's body is still arriving, then closes the connection. A socket that is closed with
 * unread input is reset, and the reset can overtake the answer, so the rest is read away first, within bounds.
 */
export function answerEarly(
  req: IncomingMessage,
  res: ServerResponse,
  { status, body = '' }: { status: number; body?: string | Buffer | undefined },
  fields: readonly string[],
): void {
  res.shouldKeepAlive = false
  res.writeHead(status, fields as string[])
  // Where there is no content to write, the fields alone are the whole answer: they must not wait for the end.
  if (body.length > 0) res.write(body)
  res.flushHeaders()
  let left = drainMaxBytes
  const end = () => {
    clearTimeout(timer)
    req.off('data', count).off('end', end).off('close', end)
    res.end()
  }
  const count = (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) end()
  }
  const timer = setTimeout(end, drainMaxMs)
  req.on('data', count).on('end', end).on('close', end)
  req.resume()
}
