import type { IncomingMessage, ServerResponse } from 'node:http'

/** How many bytes of a refused body are discarded, and for how long, so that the caller can read the answer. */
const drainMaxBytes = 1_048_576
const drainMaxMs = 1_000

/**
 * Sends an answer while the request's body is still arriving, then closes the connection. Closing a socket with unread
 * input resets it, and the reset can overtake the answer. So the rest of the body is discarded first, within limits.
 */
export function answerEarly(
  req: IncomingMessage,
  res: ServerResponse,
  { status, body = '' }: { status: number; body?: string | Buffer | undefined },
  fields: readonly string[],
): void {
  res.shouldKeepAlive = false
  res.writeHead(status, fields as string[])
  // Without content, the headers are the whole answer and must be sent now.
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
