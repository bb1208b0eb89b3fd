import { constants } from 'node:http2'
import type { DescMethod } from '@bufbuild/protobuf'
import { Code, ConnectError, type ContextValues } from '@connectrpc/connect'
import type { UniversalServerRequest } from '@connectrpc/connect/protocol'
import type { NodeRequest } from '../net/internal-listener.ts'

/** In bytes, compressed or not. Every valid lead must fit: 5,000 emoji are 60,000 bytes as `\ud83d\ude00` in JSON. */
export const messageMaxBytes = 131_072
/** What gRPC, gRPC-Web and Connect streams put before a message. */
const envelopeBytes = 5

/**
 * The request as Connect's handlers take it. Connect's own conversion refuses an authority that is no URL host, and aborts
 * the signal of each call that has ended, which costs 7 % of a gRPC call (docs/decisions/0014-requests-of-connect.md).
 */
export function toUniversal(
  request: NodeRequest,
  { methodKind }: DescMethod,
  signal: AbortSignal,
  contextValues: ContextValues,
  arrivalMs: number,
): UniversalServerRequest {
  const { httpVersion, method = '', url = '', headers } = request
  const header = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !name.startsWith(':')) header.append(name, String(value))
  }
  const body = methodKind === 'bidi_streaming' ? readArrivals(request) : readWhole(request, arrivalMs)
  return { httpVersion, method, url: new URL(url, 'http://localhost').href, header, body, signal, contextValues }
}

/** Yields a body as it arrives. Throws when it is broken off, because part of a message can decode as another message. */
async function* readArrivals(request: NodeRequest): AsyncGenerator<Buffer> {
  const brokenOff = (cause?: unknown) =>
    new ConnectError('the request was broken off', Code.Canceled, undefined, undefined, cause)
  try {
    yield* request as AsyncIterable<Buffer>
  } catch (cause) {
    throw brokenOff(cause)
  }
  // Node ends the HTTP/2 stream of a canceled request like that of a complete one, but marks it.
  if ('stream' in request ? request.stream.aborted : !request.complete) throw brokenOff()
}

/**
 * Yields a body in one piece: Connect takes time that is quadratic in the number of pieces. Of one that is too large,
 * yields so much that Connect refuses it.
 */
async function* readWhole(request: NodeRequest, arrivalMs: number): AsyncGenerator<Buffer> {
  const breakOff = () => ('stream' in request ? request.stream.close(constants.NGHTTP2_CANCEL) : request.destroy())
  const timer = setTimeout(breakOff, arrivalMs)
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of readArrivals(request)) {
      if (length <= messageMaxBytes + envelopeBytes) chunks.push(chunk)
      length += chunk.length
    }
  } finally {
    clearTimeout(timer)
  }
  if (length > 0) yield Buffer.concat(chunks)
}
