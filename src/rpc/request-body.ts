import type { Readable } from 'node:stream'
import { Code, ConnectError } from '@connectrpc/connect'

/** How many chunks may wait to be taken. */
const chunksMax = 16

/**
 * The bytes of a request as they come, taken no faster than they are used. Throws when the caller breaks off.
 *
 * In place of the stream's own iterator, which costs a tenth of a call, and which destroys the request of a call that is
 * refused half-way, so that an HTTP/2 stream is left open. Here the rest is read and thrown away.
 */
export async function* readBody(request: Readable): AsyncIterable<Uint8Array> {
  const chunks: Uint8Array[] = []
  let end: 'not yet' | 'complete' | 'broken off' = request.destroyed ? 'broken off' : 'not yet'
  let wake = () => {}

  function onData(chunk: Uint8Array): void {
    if (chunks.push(chunk) >= chunksMax) request.pause()
    wake()
  }
  function onEnd(): void {
    end = 'complete'
    wake()
  }
  function onClose(): void {
    if (end === 'not yet') end = 'broken off'
    wake()
  }

  request.on('data', onData).on('end', onEnd).on('close', onClose)
  try {
    for (;;) {
      const chunk = chunks.shift()
      if (chunk !== undefined) {
        yield chunk
      } else if (end === 'not yet') {
        const more = new Promise<void>((resolve) => {
          wake = resolve
        })
        request.resume()
        await more
      } else {
        if (end === 'broken off') throw new ConnectError('the caller went away', Code.Canceled)
        return
      }
    }
  } finally {
    request.off('data', onData).resume()
  }
}
