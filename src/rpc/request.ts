import { randomUUIDv7 } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { constants } from 'node:http2'
import { gunzipSync } from 'node:zlib'
import type { DescMessage, DescMethod } from '@bufbuild/protobuf'
import { TimestampSchema } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, type ContextValues, createContextKey } from '@connectrpc/connect'
import type { UniversalServerRequest } from '@connectrpc/connect/protocol'
import { parseTimeout as parseConnectTimeout } from '@connectrpc/connect/protocol-connect'
import { parseTimeout as parseGrpcTimeout } from '@connectrpc/connect/protocol-grpc'
import { hasRealDay } from '../lead/check-value.ts'
import type { StoredFacts } from '../lead/submit.ts'
import { readTraceId } from '../net/client.ts'
import type { NodeRequest } from '../net/internal-listener.ts'

export type Call = ReturnType<typeof createCall>

/** Creates the record of a call that begins now; handlers find it under `callKey`. `names` are from a certificate. */
export function createCall(names: readonly string[] | undefined) {
  return {
    /** A lowercase UUID version 7, sent as `x-request-id`. */
    requestId: randomUUIDv7() as string,
    startedMs: performance.now(),
    names,
    /** The first name, until the gate finds one that is listed. Undefined without a certificate, or a name in it. */
    caller: names?.[0],
    /** Set when the handler has ended: `ok` or a Connect code name such as `not_found`. */
    code: undefined as string | undefined,
    /** A field whose time is on a day that does not exist. JSON decodes it to a later one. */
    impossibleTime: undefined as string | undefined,
    stored: undefined as StoredFacts | undefined,
    isOver: false,
  }
}

export type CallSummary = ReturnType<typeof summarize>

/** `code` is `ok`, a Connect code, `canceled` (the caller left), or `refused` (by Connect, before a handler). */
export function summarize(call: Call, method: DescMethod | undefined, code: string, headers: IncomingHttpHeaders) {
  const { requestId, startedMs, caller, stored } = call
  const names = { service: method?.parent.typeName ?? 'unknown', method: method?.name ?? 'unknown' }
  const seconds = (performance.now() - startedMs) / 1_000
  return { requestId, ...names, code, seconds, caller, traceId: readTraceId(headers), ...stored }
}

/** The default is for tests without a listener. */
export const callKey = createContextKey<Call>(createCall(undefined))

/** In bytes, compressed or not. Every valid lead must fit, even one with all characters escaped in JSON. */
export const messageMaxBytes = 131_072
/** The longest timer of Node, in milliseconds: 24.8 days. A call with a longer deadline has none. */
const timerMaxMs = 2 ** 31 - 1
/** The prefix of a message in gRPC, gRPC-Web and Connect streams. */
const envelopeBytes = 5

/**
 * Converts a request for Connect's handlers. Connect's own conversion refuses an authority that is not a URL host, and
 * aborts the signal of every call at its end (docs/decisions/0014-requests-of-connect.md).
 */
export function toUniversalRequest(
  request: NodeRequest,
  { methodKind, input }: DescMethod,
  signal: AbortSignal,
  contextValues: ContextValues,
  arrivalMs: number,
): UniversalServerRequest {
  const { httpVersion, method = '', url = '', headers } = request
  const header = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !name.startsWith(':')) header.append(name, String(value))
  }
  const timeouts = [
    ['grpc-timeout', parseGrpcTimeout],
    ['connect-timeout-ms', parseConnectTimeout],
  ] as const
  for (const [name, parse] of timeouts)
    if (Number(parse(header.get(name), timerMaxMs).timeoutMs) > timerMaxMs) header.delete(name)
  const noteImpossibleTime = (body: Buffer) => {
    contextValues.get(callKey).impossibleTime = findImpossibleTime(body, headers['content-type'] ?? '', input)
  }
  const body = methodKind === 'bidi_streaming' ? readChunks(request) : readWhole(request, arrivalMs, noteImpossibleTime)
  return { httpVersion, method, url: new URL(url, 'http://localhost').href, header, body, signal, contextValues }
}

/** The first time in JSON that is on a day such as February 30, by the name of its field. */
function findImpossibleTime(body: Buffer, type: string, { fields }: DescMessage): string | undefined {
  const names = fields.flatMap(({ message, name, jsonName }) => (message === TimestampSchema ? [name, jsonName] : []))
  if (names.length === 0 || !/json/i.test(type)) return undefined
  try {
    const message = type.includes('+') ? body.subarray(envelopeBytes, envelopeBytes + body.readUInt32BE(1)) : body
    // The first byte of gzip (RFC 1952 §2.3.1), but never of JSON.
    const json = message[0] === 0x1f ? gunzipSync(message, { maxOutputLength: messageMaxBytes }) : message
    const members = JSON.parse(new TextDecoder().decode(json))
    return names.find((name) => typeof members[name] === 'string' && !hasRealDay(members[name]))
  } catch {
    // Connect refuses it.
    return undefined
  }
}

/** Yields a body as it arrives. Throws if it breaks off, because part of a message may decode as another message. */
async function* readChunks(request: NodeRequest): AsyncGenerator<Buffer> {
  const brokenOff = (cause?: unknown) =>
    new ConnectError('the request was broken off', Code.Canceled, undefined, undefined, cause)
  try {
    yield* request as AsyncIterable<Buffer>
  } catch (cause) {
    throw brokenOff(cause)
  }
  // Should the stream of a canceled request ever end like that of a complete one, it is marked.
  if ('stream' in request ? request.stream.aborted : !request.complete) throw brokenOff()
}

/** Yields one piece, because Connect takes quadratic time for many; if too large, enough for Connect to refuse it. */
async function* readWhole(
  request: NodeRequest,
  arrivalMs: number,
  onBody: (body: Buffer) => void,
): AsyncGenerator<Buffer> {
  const breakOff = () => ('stream' in request ? request.stream.close(constants.NGHTTP2_CANCEL) : request.destroy())
  const timer = setTimeout(breakOff, arrivalMs)
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of readChunks(request)) {
      if (length <= messageMaxBytes + envelopeBytes) chunks.push(chunk)
      length += chunk.length
    }
  } finally {
    clearTimeout(timer)
  }
  if (length === 0) return
  const body = Buffer.concat(chunks)
  onBody(body)
  yield body
}
