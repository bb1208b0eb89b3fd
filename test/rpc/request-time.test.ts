// Requests whose end never arrives, over HTTP/2. Over HTTP/1.1, Node limits their time itself.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { suite, test } from 'node:test'
import { createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { ServerReflection } from '../../src/gen/grpc/reflection/v1/reflection_pb.ts'
import { until } from '../support/until.ts'
import { envelope } from './raw-call.ts'
import { type RpcServer, startRpcServer, submitPath } from './rpc-server.ts'

const watchPath = '/leadintake.v1.LeadInboxService/WatchLeads'
const message = envelope(Buffer.from([0x0a, 0]))
const gzip = { 'grpc-encoding': 'gzip' }

interface Unended {
  path?: string
  type: string
  headers?: Record<string, string>
  sent?: Uint8Array
}

const requests: Record<string, Unended> = {
  'gRPC without a message': { type: 'application/grpc' },
  'gRPC with part of a head': { type: 'application/grpc', sent: message.subarray(0, 3) },
  'gRPC with half a message': { type: 'application/grpc', sent: message.subarray(0, 6) },
  'gRPC with a message': { type: 'application/grpc', sent: message },
  'gRPC with an announced compression': { type: 'application/grpc', headers: gzip, sent: message },
  'gRPC of a stream': { type: 'application/grpc', path: watchPath, sent: message },
  'gRPC-Web': { type: 'application/grpc-web+proto', sent: message },
  Connect: { type: 'application/json', sent: Buffer.from('{') },
  'Connect without a body': { type: 'application/proto' },
}

/** Sends a request that does not end. Returns the error that answers it, after the server has closed the stream. */
async function send(server: RpcServer, { path = submitPath, type, headers, sent }: Unended, deadline?: string) {
  const ended = server.nextCall()
  const session = connect(server.url)
  const timeout = deadline === undefined ? {} : { 'grpc-timeout': `${deadline}m`, 'connect-timeout-ms': deadline }
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': type, ...timeout, ...headers })
  const received: Buffer[] = []
  const answer: string[] = []
  stream.on('data', (chunk: Buffer) => received.push(chunk))
  stream.on('response', (fields) => answer.push(JSON.stringify(fields)))
  stream.on('trailers', (fields) => answer.push(JSON.stringify(fields)))
  if (sent) stream.write(sent)
  await once(stream, 'close')
  session.destroy()
  // The runtime percent-encodes the trailers of gRPC-Web.
  const text = [...answer, Buffer.concat(received)].join(' ').replaceAll('%20', ' ')
  return { text, rstCode: stream.rstCode, summary: await ended }
}

suite('a request that does not end', () => {
  for (const [name, request] of Object.entries(requests)) {
    test(`is answered at its deadline: ${name}`, { timeout: 10_000 }, async () => {
      await using server = await startRpcServer({ requestTimeoutMs: 200 })
      const { text, rstCode, summary } = await send(server, request, '20')
      assert.match(text, /The deadline of the caller passed/)
      assert.equal(rstCode, 0)
      assert.equal(summary.code, 'deadline_exceeded')
      assert.deepEqual([server.submitted, server.errors], [[], []])
    })

    test(`is answered when it takes too long: ${name}`, { timeout: 10_000 }, async () => {
      await using server = await startRpcServer({ requestTimeoutMs: 60 })
      const { text, rstCode, summary } = await send(server, request)
      assert.match(text, /has not arrived completely in time. Nothing was done./)
      assert.equal(rstCode, 0)
      assert.equal(summary.code, 'deadline_exceeded')
      assert.deepEqual([server.submitted, server.errors], [[], []])
    })
  }

  test('is closed after its refusal', { timeout: 10_000 }, async () => {
    await using server = await startRpcServer({ requestTimeoutMs: 20 })
    const { summary } = await send(server, { type: 'application/grpc', sent: Buffer.from([0, 255, 0, 0, 0]) })
    assert.equal(summary.code, 'resource_exhausted')
  })

  test('may take its time if it is a stream', { timeout: 10_000 }, async () => {
    await using server = await startRpcServer({ requestTimeoutMs: 1 })
    const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: server.url }))
    async function* ask() {
      yield { host: '', messageRequest: { case: 'listServices', value: '' } } as const
      const started = performance.now()
      await until('the time of other requests is over', () => performance.now() - started > 5)
      yield { host: '', messageRequest: { case: 'listServices', value: '' } } as const
    }
    const answers = await Array.fromAsync(client.serverReflectionInfo(ask()))
    assert.equal(answers.length, 2)
  })
})

suite('an answer that is not read', () => {
  for (const [how, headers] of Object.entries({ 'the plain handler': {}, 'the Connect runtime': gzip })) {
    test(`is given up, with ${how}`, { timeout: 10_000 }, async () => {
      await using server = await startRpcServer({ requestTimeoutMs: 20 })
      const ended = server.nextCall()
      const session = connect(server.url, { settings: { initialWindowSize: 0 } })
      const stream = session.request({
        ':method': 'POST',
        ':path': submitPath,
        'content-type': 'application/grpc',
        ...headers,
      })
      stream.on('error', () => {})
      stream.end(message)
      const summary = await ended
      assert.equal(summary.code, 'ok')
      assert.equal(server.submitted.length, 1)
      session.destroy()
    })
  }
})
