import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { Code, ConnectError } from '@connectrpc/connect'

export type NodeRequest = IncomingMessage | Http2ServerRequest

/**
 * Yields the bytes of a request, those that arrived together as one chunk: Connect takes time that is quadratic in the
 * number of chunks of a message, and an HTTP/2 caller may send each byte in a frame of its own. Throws when the request
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
 * Reads the whole body of a request into one buffer. Beyond `maxBytes`, resolves to what has arrived, so that Connect
 * refuses it, and discards the rest. `onGrowth` gets the size of the buffer. Rejects when the request is broken off.
 */
export function readWhole(request: NodeRequest, maxBytes: number, onGrowth: (bytes: number) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let buffer = Buffer.alloc(0)
    let length = 0
    const collect = (chunk: Buffer) => {
      const total = length + chunk.length
      if (total > maxBytes) {
        request.off('data', collect).resume()
        resolve(Buffer.concat([buffer.subarray(0, length), chunk]))
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
    const finish = () => {
      if (isBrokenOff(request)) reject(new ConnectError('the request was broken off', Code.Canceled))
      else resolve(buffer.subarray(0, length))
    }
    request.on('data', collect).once('end', finish).once('close', finish)
  })
}
