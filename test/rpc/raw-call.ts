import { once } from 'node:events'
import { connect } from 'node:http2'
import type { JsonValue } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { codeToString, errorFromJson } from '@connectrpc/connect/protocol-connect'
import { findTrailerError } from '@connectrpc/connect/protocol-grpc'
import { type RetryInfo, RetryInfoSchema } from '../../src/gen/google/rpc/error_details_pb.ts'
import { type Problem, ProblemSchema } from '../../src/gen/leadintake/v1/problem_pb.ts'

/** An error as sent on the wire, in any protocol. */
export interface RawError {
  /** The Connect code name, or the number of the gRPC status. */
  code: string
  message: string
  problem: Problem | undefined
  retryInfo: RetryInfo | undefined
  requestId: string | undefined
}

/** Sends bytes to a path with headers that no client library would send, and parses the error. */
export type RawCall = (
  url: string,
  path: string,
  message: Uint8Array,
  headers?: Record<string, string>,
) => Promise<RawError>

function readError(code: string, message: string, error: ConnectError | undefined, requestId: unknown): RawError {
  const [problem] = error?.findDetails(ProblemSchema) ?? []
  const [retryInfo] = error?.findDetails(RetryInfoSchema) ?? []
  return { code, message, problem, retryInfo, requestId: requestId as string | undefined }
}

/** A message in the envelope that gRPC, gRPC-Web and Connect streams share. */
export function envelope(message: Uint8Array, flags = 0): Buffer {
  const head = Buffer.alloc(5)
  head[0] = flags
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** The content of the last envelope in a body. */
function lastEnvelope(body: Buffer): Buffer {
  for (let at = 0; ; ) {
    const end = at + 5 + body.readUInt32BE(at + 1)
    if (end >= body.length) return body.subarray(at + 5)
    at = end
  }
}

/** One request over HTTP/2. Returns headers and trailers together. */
async function request(url: string, path: string, body: Uint8Array, headers: Record<string, string>) {
  const session = connect(url)
  const stream = session.request({ ':method': 'POST', ':path': path, ...headers })
  const fields: Record<string, unknown> = {}
  stream.on('response', (received) => Object.assign(fields, received))
  stream.on('trailers', (received) => Object.assign(fields, received))
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.end(body)
  await once(stream, 'close')
  session.close()
  return { fields, body: Buffer.concat(chunks) }
}

function readGrpcStatus(fields: Record<string, unknown>): RawError {
  const status = Object.entries(fields).filter(([name]) => name.startsWith('grpc-'))
  const error = findTrailerError(new Headers(status as [string, string][]))
  return readError(`${fields['grpc-status']}`, `${fields['grpc-message']}`, error, fields['x-request-id'])
}

function readConnectError(json: JsonValue, requestId: unknown): RawError {
  const error = errorFromJson(json, undefined, new ConnectError('not an error', Code.Unknown))
  return readError(codeToString(error.code), error.rawMessage, error, requestId)
}

/** Sends a gRPC call whose body is already in its envelope. */
export const sendGrpc: RawCall = async (url, path, body, headers = {}) => {
  const type = { 'content-type': 'application/grpc+proto', te: 'trailers' }
  return readGrpcStatus((await request(url, path, body, { ...type, ...headers })).fields)
}

export const rawCalls: Record<string, RawCall> = {
  gRPC: (url, path, message, headers) => sendGrpc(url, path, envelope(message), headers),
  async 'gRPC-Web'(url, path, message, headers = {}) {
    const type = { 'content-type': 'application/grpc-web+proto' }
    const { fields, body } = await request(url, path, envelope(message), { ...type, ...headers })
    const lines = lastEnvelope(body).toString().trim().split('\r\n')
    const trailers = Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2)))
    return readGrpcStatus({ ...fields, ...trailers })
  },
  async 'Connect, unary'(url, path, message, headers = {}) {
    const type = { 'content-type': 'application/proto' }
    const { fields, body } = await request(url, path, message, { ...type, ...headers })
    return readConnectError(JSON.parse(body.toString()), fields['x-request-id'])
  },
  async 'Connect, stream'(url, path, message, headers = {}) {
    const type = { 'content-type': 'application/connect+proto' }
    const { fields, body } = await request(url, path, envelope(message), { ...type, ...headers })
    return readConnectError(JSON.parse(lastEnvelope(body).toString()).error, fields['x-request-id'])
  },
}
