import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { Code, ConnectError } from '@connectrpc/connect'

export type NodeRequest = IncomingMessage | Http2ServerRequest

/**
 * Yields the bytes of a request, those that arrived together as one chunk: Connect takes time that is quadratic in the
 * number of chunks of a message, and an HTTP/2 client may send each byte in a frame of its own. Throws when the request
 * is broken off, because part of a message can decode as another message. Whatever is left unread is discarded.
 */
export async function* readArrivals(request: NodeRequest): AsyncGenerator<Buffer> {
  let wake = () => {}
  const onChange = () => wake()
  const events = ['readable', 'end', 'close', 'error'] as const
  for (const event of events) request.on(event, onChange)
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve
      })
      const chunk: Buffer | null = request.read()
      if (chunk !== null) yield chunk
      else if (isBrokenOff(request)) throw new ConnectError('the request was broken off', Code.Canceled)
      else if (request.readableEnded) return
      else await changed
    }
  } finally {
    for (const event of events) request.off(event, onChange)
    request.resume()
  }
}

/** Node ends the HTTP/2 stream of a canceled request like that of a complete one, but marks it. */
function isBrokenOff(request: NodeRequest): boolean {
  if ('stream' in request) return request.stream.aborted || (request.destroyed && !request.readableEnded)
  return request.destroyed && !request.complete
}

/**
 * Yields the whole body of a request at once, which takes memory only for its bytes. Beyond `maxBytes`, yields what has
 * arrived, so that Connect refuses it. `onGrowth` is told how many bytes the buffer takes.
 */
export async function* readWhole(
  request: NodeRequest,
  maxBytes: number,
  onGrowth: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let buffer = Buffer.alloc(0)
  let length = 0
  for await (const chunk of readArrivals(request)) {
    const total = length + chunk.length
    if (total > maxBytes) {
      yield buffer.subarray(0, length)
      yield chunk
      return
    }
    if (total > buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(total, 2 * buffer.length)))
      buffer.copy(larger, 0, 0, length)
      buffer = larger
      onGrowth(buffer.length)
    }
    chunk.copy(buffer, length)
    length = total
  }
  if (length > 0) yield buffer.subarray(0, length)
}
