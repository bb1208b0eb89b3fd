import type { ServerResponse } from 'node:http'
import type { UniversalServerResponse } from '@connectrpc/connect/protocol'
import type { ByteBudget } from '../lead/byte-budget.ts'

/** What a response takes into its buffer before it asks to wait. */
const bufferedBytes = 16_384

/**
 * Sends an answer as its parts come, no faster than the caller reads them. Stops when the caller goes away. The request's
 * id is in the headers, but for a gRPC call that has failed: some of its clients look for metadata in trailers only, and
 * others put the two together. What callers do not read is held within `unsent`: beyond it, the answer that has been
 * waiting the longest is cut off.
 */
export async function sendAnswer(
  { status, header, body, trailer }: UniversalServerResponse,
  response: ServerResponse,
  requestId: string,
  gone: AbortSignal,
  unsent: ByteBudget,
): Promise<void> {
  const headers: Record<string, string> = Object.fromEntries(header ?? [])
  if (!isFailure(trailer)) headers['x-request-id'] = requestId
  if (body === undefined) headers['content-length'] = '0'
  response.writeHead(status, headers)
  for await (const chunk of body ?? []) {
    if (gone.aborted) return
    if (response.write(chunk)) continue
    const held = { bytes: bufferedBytes + chunk.byteLength, drop: () => void response.destroy(new Error('unread')) }
    unsent.hold(held)
    await drained(response)
    unsent.forget(held)
  }
  if (trailer) {
    const trailers = readTrailers(trailer)
    if (isFailure(trailer)) trailers['x-request-id'] = requestId
    response.addTrailers(trailers)
  }
  response.end()
}

function isFailure(trailer: Headers | undefined): boolean {
  return (trailer?.get('grpc-status') ?? '0') !== '0'
}

/** The runtime encodes more of `grpc-message` than gRPC asks for, and some clients show it as it comes. */
function readTrailers(trailer: Headers): Record<string, string> {
  const trailers = Object.fromEntries(trailer)
  const message = trailers['grpc-message']
  if (message !== undefined) trailers['grpc-message'] = encodeGrpcMessage(decodeURIComponent(message))
  return trailers
}

/** Percent-encodes the UTF-8 bytes outside of printable ASCII, and `%` itself: no more (gRPC over HTTP/2, Responses). */
export function encodeGrpcMessage(message: string): string {
  return message.replace(/[^\x20-\x24\x26-\x7e]+/gu, encodeURIComponent)
}

/** Waits until the response takes more, or is closed and needs no more. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    function done(): void {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}
