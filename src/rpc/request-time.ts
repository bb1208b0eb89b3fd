import type { ServerHttp2Stream } from 'node:http2'
import { constants } from 'node:http2'
import { Code, ConnectError } from '@connectrpc/connect'

/** How long a request may take to arrive, in milliseconds. HTTP/1.1 connections have the same limit from Node. */
export const requestTimeoutMs = 30_000

/** Calls `onTimeout` with the error for a request that has not arrived completely in time. Cancel it with `clearTimeout`. */
export function startRequestTimeout(ms: number, onTimeout: (error: ConnectError) => void): NodeJS.Timeout {
  return setTimeout(() => onTimeout(new ConnectError('incomplete request', Code.DeadlineExceeded)), ms)
}

/** After an answer: closes the stream of a request that still does not end (RFC 9113 §8.1). */
export function closeUnended(stream: ServerHttp2Stream, ms: number): void {
  if (stream.readableEnded || stream.destroyed) return
  const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), ms)
  stream.once('close', () => clearTimeout(timer))
}
