// A request whose end is missing never reaches the domain: what has arrived may decode as another lead, without its
// origin and its key, and an erasure without its opt-out.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { constants } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { create, toBinary } from '@bufbuild/protobuf'
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js'
import { EraseLeadRequestSchema } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { SubmitLeadRequestSchema } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { callHeaders, envelope, frame, http1, http2Start } from '../support/http2-frames.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'
import { createAuthority } from './certificates.ts'
import { receipt, startRpcServer, submitPath } from './rpc-server.ts'

const lead = create(SubmitLeadRequestSchema, { lead: { case: 'quoteRequest', value: quote } })
const erasure = create(EraseLeadRequestSchema, receipt)
const requests: [path: string, message: Uint8Array][] = [
  [submitPath, toBinary(SubmitLeadRequestSchema, lead)],
  ['/leadintake.v1.LeadInboxService/EraseLead', toBinary(EraseLeadRequestSchema, erasure)],
]

/** By content type, a body that decodes as it is. */
const bodies: Record<string, (message: Uint8Array) => Buffer> = {
  'application/proto': (message) => Buffer.from(message),
  'application/grpc': envelope,
}

let reached = 0
const reach = () => {
  reached++
  return {}
}
const server = await startRpcServer({
  submit: async () => ({ ...reach(), outcome: 'created', receipt }),
  inbox: { eraseLead: reach },
})
after(() => server.listener.close(0))

async function callProperly(path: string, body: Buffer): Promise<void> {
  const headers = { 'content-type': 'application/proto' }
  const response = await fetch(server.url + path, { method: 'POST', headers, body: new Uint8Array(body) })
  assert.equal(response.status, 200, await response.text())
}

const reset = frame(3, 0, 1, Buffer.of(0, 0, 0, constants.NGHTTP2_CANCEL))
const destroy = (socket: Socket) => void socket.destroy()
const end = (socket: Socket) => void socket.end()
const http2 = (path: string, type: string, body: Buffer, more: Record<string, string> = {}) =>
  Buffer.concat([http2Start, callHeaders(1, path, type, more), frame(0, 0, 1, body)])

/** What of a request is sent, and how it is cut off. */
const ways: Record<
  string,
  [send: (path: string, type: string, body: Buffer) => Buffer, ...cuts: ((socket: Socket) => void)[]]
> = {
  'over HTTP/1.1 before its Content-Length': [
    (path, type, body) => http1(path, type, body, `content-length: ${body.length + 9}`),
    ...[destroy, end],
  ],
  'over HTTP/1.1 without its last chunk': [
    (path, type, body) => {
      const chunk = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')])
      return http1(path, type, chunk, 'transfer-encoding: chunked')
    },
    ...[destroy, end],
  ],
  'over HTTP/2 by a reset': [http2, (socket) => void socket.write(reset)],
  'over HTTP/2 by a reset in the same packet': [(...sent) => Buffer.concat([http2(...sent), reset]), () => {}],
  'over HTTP/2 by the end of the connection': [http2, (socket) => void socket.end(frame(7, 0, 0, Buffer.alloc(8)))],
  'over HTTP/2 by a broken connection': [http2, destroy],
  'over HTTP/2 by END_STREAM before its content-length': [
    (path, type, body) => http2(path, type, body, { 'content-length': `${body.length + 9}` }),
    (socket) => void socket.write(frame(0, 1, 1, Buffer.alloc(0))),
  ],
}

for (const [type, bodyOf] of Object.entries(bodies))
  for (const [how, [send, ...cuts]] of Object.entries(ways))
    test(`a request that is cut off ${how}, as ${type}, does nothing`, async () => {
      for (const [path, message] of requests)
        for (const cut of cuts) {
          const [callsBefore, reachedBefore] = [server.calls.length, reached]
          const socket = connect({ port: server.port, host: '127.0.0.1', noDelay: true })
          socket.on('error', () => {}).resume()
          await once(socket, 'connect')
          await new Promise((sent) => socket.write(send(path, type, bodyOf(message)), sent))
          // When this is answered, the part has arrived.
          await callProperly(path, Buffer.from(message))
          cut(socket)
          await until('the call that was cut off has ended', () => server.calls.length === callsBefore + 2)
          await callProperly(path, Buffer.from(message))
          assert.equal(reached, reachedBefore + 2)
          socket.destroy()
        }
    })

test('a request that stops arriving is given up', async () => {
  const part = Buffer.from('{"quoteR')
  for (const bytes of [
    http1(submitPath, 'application/json', part, 'content-length: 99'),
    http2(submitPath, 'application/json', part),
  ]) {
    await using impatient = await startRpcServer({ arrivalMs: 20 })
    const ended = impatient.nextCall()
    const socket = connect({ port: impatient.port, host: '127.0.0.1' }).on('error', () => {})
    socket.write(bytes)
    assert.equal((await ended).code, 'canceled')
    assert.deepEqual(impatient.submitted, [])
    socket.destroy()
  }
})

const watchPath = '/leadintake.v1.LeadInboxService/WatchLeads'
const authority = createAuthority('The business')
const tls = { ...authority.issue('localhost', { names: ['DNS:localhost'] }), ca: authority.cert }
const crm = authority.issue('crm')
const pem = (text: string) => Buffer.from(text)
const asBytes = (bytes: Buffer) => bytes

test('400 calls that expire in a stall leave the feed of the same channel and its next call alone', async () => {
  const stalled = Promise.withResolvers<void>()
  const next = Promise.withResolvers<void>()
  await using server = await startRpcServer({
    tls,
    submit: () => stalled.promise.then(() => ({ outcome: 'created', receipt })),
    inbox: {
      async *watchLeads() {
        yield { cursor: 'before' }
        await next.promise
        yield { cursor: 'after' }
      },
    },
  })
  const channel = credentials.createSsl(pem(authority.cert), pem(crm.key), pem(crm.cert))
  const client = new Client(`localhost:${server.port}`, channel)
  /** The code of a submission. */
  const submit = (deadlineMs: number) =>
    new Promise<number>((resolve) => {
      const message = Buffer.from(toBinary(SubmitLeadRequestSchema, lead))
      const options = { deadline: Date.now() + deadlineMs }
      const answered = (error: ServiceError | null) => resolve(error?.code ?? status.OK)
      client.makeUnaryRequest(submitPath, asBytes, asBytes, message, options, answered)
    })
  const feed = client.makeServerStreamRequest(watchPath, asBytes, asBytes, Buffer.alloc(0))
  const [first] = await once(feed, 'data')
  assert.match(String(first), /before/)
  const codes = await Promise.all(Array.from({ length: 400 }, () => submit(15)))
  assert.deepEqual(new Set(codes), new Set([status.DEADLINE_EXCEEDED]))
  stalled.resolve()
  assert.equal(await submit(60_000), status.OK)
  next.resolve()
  const [second] = await once(feed, 'data')
  assert.match(String(second), /after/)
  client.close()
})
