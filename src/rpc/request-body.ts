import type { Readable } from 'node:stream'
import { Code, ConnectError } from '@connectrpc/connect'
import { incompleteRequest } from './request-time.ts'

/** A request while it is read. `aborted`: it was reset, or its connection broke. */
export type RequestStream = Readable & { readonly aborted?: boolean }

/** How many chunks may be queued before the request is paused. */
const chunksMax = 16

/** What ends the wait for the rest of a request. */
export interface BodyBounds {
  /** Aborted when the call is given up, with the error for it. */
  signal?: AbortSignal | undefined
  /** How long the request may take to arrive, in milliseconds. */
  timeoutMs?: number | undefined
}

/**
 * Yields a request's chunks no faster than they are consumed, after those that were `received` already. Throws when the
 * caller disconnects or cancels the HTTP/2 stream. Node emits `end` for a canceled stream too, but half of a message can
 * decode as another message that lacks members. Also throws when the `bounds` are reached. They are read when the first
 * chunk is asked for, because the call's signal is not known earlier.
 *
 * Replaces the stream's own iterator, which takes a tenth of a call's time. It also destroys the request when a call is
 * refused halfway, which leaves an HTTP/2 stream open. This one reads and discards the rest.
 */
export async function* readBody(
  request: RequestStream,
  received: readonly Uint8Array[] = [],
  bounds: () => BodyBounds = () => ({}),
): AsyncIterable<Uint8Array> {
  const { signal, timeoutMs } = bounds()
  const chunks = [...received]
  let end = endOf(request)
  let failure: unknown = signal?.reason
  let wake = () => {}

  function onData(chunk: Uint8Array): void {
    if (chunks.push(chunk) >= chunksMax) request.pause()
    wake()
  }
  function onEnd(): void {
    // Not only in `finally`: a consumer that refuses the call halfway may never resume this generator.
    clearTimeout(timer)
    end = endOf(request)
    wake()
  }
  function onClose(): void {
    clearTimeout(timer)
    if (end === 'not yet') end = 'broken off'
    wake()
  }
  function fail(error: unknown): void {
    failure = error
    wake()
  }
  function onAbort(): void {
    fail(signal?.reason)
  }

  const isTimed = timeoutMs !== undefined && end === 'not yet'
  const timer = isTimed ? setTimeout(() => fail(incompleteRequest()), timeoutMs) : undefined
  request.on('data', onData).on('end', onEnd).on('close', onClose)
  signal?.addEventListener('abort', onAbort)
  try {
    for (;;) {
      const chunk = chunks.shift()
      if (chunk !== undefined) {
        yield chunk
      } else if (end === 'not yet') {
        if (failure !== undefined) throw failure
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
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    request.off('data', onData).resume()
  }
}

function endOf({ readableEnded, aborted, destroyed }: RequestStream): 'not yet' | 'complete' | 'broken off' {
  if (aborted) return 'broken off'
  if (readableEnded) return 'complete'
  return destroyed ? 'broken off' : 'not yet'
}
