import type { IncomingHttpHeaders } from 'node:http2'
import { type Compression, compressionNegotiate } from '@connectrpc/connect/protocol'
import { contentTypeProto, headerAcceptEncoding, parseTimeout } from '@connectrpc/connect/protocol-grpc'
import { findBrowser } from './browsers.ts'
import { capTimeout, timeoutMaxMs } from './deadline.ts'

/** Whether a request, as far as its headers show, is a gRPC call with an uncompressed binary message. */
export function isPlain(headers: IncomingHttpHeaders, loopbackOnly: boolean): boolean {
  const type = headers['content-type']
  const encoding = headers['grpc-encoding']
  return (
    headers[':method'] === 'POST' &&
    (type === 'application/grpc' || type === contentTypeProto) &&
    (encoding === undefined || encoding === 'identity') &&
    headers.expect === undefined &&
    findBrowser(headers, loopbackOnly) === undefined
  )
}

/** The caller's deadline. */
export function readTimeout(headers: IncomingHttpHeaders): ReturnType<typeof parseTimeout> {
  const value = headers['grpc-timeout']
  return value === undefined ? {} : parseTimeout(capTimeout('grpc-timeout', `${value}`), timeoutMaxMs)
}

/** The answer's headers. They name a compression that the caller accepts, but a receipt is too short to compress. */
export function createHeaders(accepted: string | string[] | undefined, compressions: Compression[]): string[] {
  const headers = [':status', '200', 'content-type', contentTypeProto]
  if (accepted === undefined) return headers
  const { response } = compressionNegotiate(compressions, null, `${accepted}`, headerAcceptEncoding)
  if (response) headers.push('grpc-encoding', response.name)
  return headers
}
