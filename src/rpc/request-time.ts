import { constants, type ServerHttp2Stream } from 'node:http2'
import { Code, ConnectError } from '@connectrpc/connect'

/**
 * How long a request may take to arrive, and how long an HTTP/2 stream may stay open after its answer, in milliseconds.
 * Over HTTP/1.1, Node enforces the same limit for requests.
 */
export const requestTimeoutMs = 30_000

/** The error for a request that has not arrived completely in time. */
export function incompleteRequest(): ConnectError {
  return new ConnectError('incomplete request', Code.DeadlineExceeded)
}

/** Closes the stream of an answered request that has not ended (RFC 9113 §8.1), or whose answer nobody reads. */
export function closeAnswered(stream: ServerHttp2Stream): void {
  stream.close(stream.writableFinished ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_CANCEL)
}
