// A request whose end is missing never reaches the domain: what has arrived may decode as another lead, without its
// origin and its key, and an erasure without its opt-out.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { constants } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { after, suite, test } from 'node:test'
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { EraseLeadRequestSchema, OptOutHow, RecordOptOutRequestSchema } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { SubmitLeadRequestSchema } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { callHeaders, envelope, frame, http1, http2Start } from '../support/http2-frames.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'
import { receipt, startRpcServer, submitPath } from './rpc-server.ts'

const inboxPath = '/leadintake.v1.LeadInboxService'

/** A request, as its path and its message. */
const requestOf = <T extends DescMessage>(path: string, schema: T, init: MessageInitShape<T>) => ({
  path,
  message: Buffer.from(toBinary(schema, create(schema, init))),
})
const submission = requestOf(submitPath, SubmitLeadRequestSchema, { lead: { case: 'quoteRequest', value: quote } })
const requests = [
  submission,
  requestOf(`${inboxPath}/EraseLead`, EraseLeadRequestSchema, { id: receipt.id }),
  requestOf(`${inboxPath}/RecordOptOut`, RecordOptOutRequestSchema, {
    contact: 'pat@example.org',
    how: OptOutHow.CALLED,
  }),
]
type Request = typeof submission

/** By content type, a body that decodes as it is. */
const bodies: Record<string, (message: Buffer) => Buffer> = {
  'application/proto': (message) => message,
  'application/grpc': envelope,
}

let reached = 0
const reach = () => {
  reached++
  return {}
}
const server = await startRpcServer({
  submit: async () => ({ ...reach(), outcome: 'created', receipt }),
  inbox: { eraseLead: reach, recordOptOut: reach },
})
after(() => server.listener.close(0))

async function callProperly({ path, message: body }: Request): Promise<void> {
  const headers = { 'content-type': 'application/proto' }
  const response = await fetch(server.url + path, { method: 'POST', headers, body })
  assert.equal(response.status, 200, await response.text())
}

/** Sends a part of a request, cuts it off when the part has arrived, and asserts that only other calls got through. */
async function assertUnreached(request: Request, part: Buffer, cut: (socket: Socket) => void): Promise<void> {
  const [callsBefore, reachedBefore] = [server.calls.length, reached]
  const socket = connect({ port: server.port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  socket.on('error', () => {}).resume()
  await new Promise((sent) => socket.write(part, sent))
  await callProperly(request)
  cut(socket)
  await until('the call that was cut off has ended', () => server.calls.length === callsBefore + 2)
  await callProperly(request)
  assert.equal(reached, reachedBefore + 2)
  socket.destroy()
}

const http2 = (type: string, { path }: Request, body: Buffer, more: Record<string, string> = {}) =>
  Buffer.concat([http2Start, callHeaders(1, path, type, more), frame(0, 0, 1, body)])

const reset = (code: number) => frame(3, 0, 1, Buffer.of(0, 0, 0, code))
const write = (bytes: Buffer) => (socket: Socket) => void socket.write(bytes)
const destroy = (socket: Socket) => void socket.destroy()
const end = (socket: Socket) => void socket.end()

/** What of a request is sent, and how it is cut off. */
const ways: Record<
  string,
  [send: (type: string, request: Request, body: Buffer) => Buffer, ...cuts: ((socket: Socket) => void)[]]
> = {
  'over HTTP/1.1 before its Content-Length': [
    (type, { path }, body) => http1(path, type, body, `content-length: ${body.length + 9}`),
    destroy,
    end,
  ],
  'over HTTP/1.1 without its last chunk': [
    (type, { path }, body) => {
      const chunk = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')])
      return http1(path, type, chunk, 'transfer-encoding: chunked')
    },
    destroy,
    end,
  ],
  'over HTTP/2 by CANCEL': [http2, write(reset(constants.NGHTTP2_CANCEL))],
  'over HTTP/2 by NO_ERROR': [http2, write(reset(constants.NGHTTP2_NO_ERROR))],
  'over HTTP/2 by the end of the connection': [http2, (socket) => void socket.end(frame(7, 0, 0, Buffer.alloc(8)))],
  'over HTTP/2 by a broken connection': [http2, destroy],
  'over HTTP/2 by END_STREAM before its content-length': [
    (type, request, body) => http2(type, request, body, { 'content-length': `${body.length + 9}` }),
    write(frame(0, 1, 1, Buffer.alloc(0))),
  ],
  'over HTTP/2 in one packet': [
    (...sent) => Buffer.concat([http2(...sent), reset(constants.NGHTTP2_CANCEL)]),
    () => {},
  ],
}

suite('a request that is cut off', () => {
  for (const [type, bodyOf] of Object.entries(bodies))
    for (const [how, [send, ...cuts]] of Object.entries(ways))
      test(`${how}, as ${type}`, async () => {
        for (const request of requests)
          for (const cut of cuts) await assertUnreached(request, send(type, request, bodyOf(request.message)), cut)
      })
})

test('a request that stops arriving is given up', async () => {
  const { path, message } = submission
  const part = message.subarray(0, 9)
  for (const bytes of [
    http1(path, 'application/proto', part, `content-length: ${message.length}`),
    http2('application/proto', submission, part),
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
