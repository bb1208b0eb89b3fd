import type { ServerResponse } from 'node:http'
import type { UniversalServerResponse } from '@connectrpc/connect/protocol'
import type { ByteBudget } from '../lead/byte-budget.ts'

/** How much a response buffers, in bytes, before `write` asks the sender to wait. */
const bufferedBytes = 16_384

/**
 * Sends an answer part by part, no faster than the caller reads. Stops when the caller disconnects. The request id is
 * in the headers, except for a failed gRPC call: some gRPC clients read metadata from trailers only, and others merge
 * the two. Unread bytes count against the `unsent` budget; beyond it, the answer that has been waiting the longest is
 * cut off.
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
  if (trailer) response.addTrailers(readTrailers(trailer, requestId))
  response.end()
}

function isFailure(trailer: Headers | undefined): boolean {
  return (trailer?.get('grpc-status') ?? '0') !== '0'
}

/**
 * The runtime's trailers as they are sent. The runtime percent-encodes more of `grpc-message` than gRPC requires, and
 * some clients show it undecoded.
 */
export function readTrailers(trailer: Headers, requestId: string): Record<string, string> {
  const trailers = Object.fromEntries(trailer)
  const message = trailers['grpc-message']
  if (message !== undefined) trailers['grpc-message'] = encodeGrpcMessage(decodeURIComponent(message))
  if (isFailure(trailer)) trailers['x-request-id'] = requestId
  return trailers
}

/** Percent-encodes only the bytes outside printable ASCII, and `%` itself (gRPC over HTTP/2, Responses). */
export function encodeGrpcMessage(message: string): string {
  return message.replace(/[^\x20-\x24\x26-\x7e]+/gu, encodeURIComponent)
}

/** Waits until the response accepts more data or is closed. */
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
