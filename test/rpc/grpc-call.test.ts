// Plain gRPC calls are served without the Connect runtime's pipeline. Sends the same calls to both, and compares.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { create, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import fc from 'fast-check'
import { SubmitLeadRequestSchema } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { LeadError } from '../../src/lead/error.ts'
import type { SubmitResult } from '../../src/lead/submit.ts'
import { createRpcHandlers } from '../../src/rpc/app.ts'
import type { CallerRole, Callers } from '../../src/rpc/callers.ts'
import { createRpcListener, type RpcListener } from '../../src/rpc/listener.ts'
import { messageMaxBytes } from '../../src/rpc/message-size.ts'
import { frame as http2Frame, http2Preface, literalField } from '../support/http2-frames.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'
import { envelope } from './raw-call.ts'
import { receipt, rpcOptions, submitPath, twoFaults } from './rpc-server.ts'

/** How `submit` behaves in one call. */
let submit: () => Promise<SubmitResult>
/** The names in the caller's certificate in one call. */
let names: readonly string[] | undefined
const callers: Callers = new Map<string, ReadonlySet<CallerRole>>([
  ['crm', new Set(['submit'])],
  ['report', new Set(['read'])],
])
const { options, submitted, errors, nextCall } = rpcOptions({
  callers,
  submit: () => submit(),
})
const { handler, grpcHandler } = createRpcHandlers(options)
/** Whether the handler for plain calls has taken each stream. */
const taken: boolean[] = []
const listeners: RpcListener[] = [
  createRpcListener({
    handler: (request, response) => handler(request, response, names),
    grpcHandler(stream, headers) {
      const isTaken = grpcHandler(stream, headers, names)
      taken.push(isTaken)
      return isTaken
    },
  }),
  createRpcListener({ handler: (request, response) => handler(request, response, names) }),
]
let ports: number[]
let sessions: ClientHttp2Session[]
before(async () => {
  const addresses = await Promise.all(listeners.map((listener) => listener.listen(0, '127.0.0.1')))
  ports = addresses.map(({ port }) => port)
  sessions = ports.map((port) => connect(`http://127.0.0.1:${port}`))
})
after(async () => {
  for (const session of sessions) session.destroy()
  await Promise.all(listeners.map((listener) => listener.close(0)))
})

interface RawRequest {
  headers: Record<string, string | string[]>
  /** Sent one by one, in DATA frames of their own. */
  chunks: readonly Uint8Array[]
}

/** One call over HTTP/2: everything the caller sees, and everything that is reported. */
async function call(session: ClientHttp2Session, { headers, chunks }: RawRequest) {
  const [submittedBefore, errorsBefore] = [submitted.length, errors.length]
  const ended = nextCall()
  const stream = session.request({
    ':method': 'POST',
    ':path': submitPath,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  })
  const seen = { headers: {}, trailers: {}, isContinued: false, reset: '' }
  const received: Buffer[] = []
  stream.on('response', (fields) => {
    seen.headers = fields
  })
  stream.on('trailers', (fields) => {
    seen.trailers = fields
  })
  stream.on('continue', () => {
    seen.isContinued = true
  })
  stream.on('error', (error) => {
    seen.reset = error.message
  })
  stream.on('data', (chunk: Buffer) => received.push(chunk))
  const closed = once(stream, 'close')
  for (const chunk of chunks) {
    // Wait until it is written, or Node sends several chunks together.
    await new Promise((resolve) => stream.write(chunk, resolve))
  }
  stream.end()
  await closed
  const { seconds: _, requestId, ...summary } = await ended
  return {
    ...redact(seen, requestId),
    body: Buffer.concat(received).toString('latin1').replaceAll(requestId, 'the request id'),
    summary,
    submitted: submitted.slice(submittedBefore).map(({ origin, ...input }) => ({ ...input, path: origin.path })),
    errors: errors.slice(errorsBefore).map(({ error }) => String(error)),
  }
}

/** Replaces what differs from call to call: the request id and the date. The id is also inside of the error details. */
function redact({ headers, trailers, ...seen }: { headers: object; trailers: object }, requestId: string) {
  const plain = (fields: object) =>
    Object.entries(fields).map(([name, value]) => {
      const text = name === 'grpc-status-details-bin' ? Buffer.from(value, 'base64').toString('latin1') : `${value}`
      return [name, name === 'date' ? 'a date' : text.replaceAll(requestId, 'the request id')]
    })
  return { ...seen, headers: plain(headers), trailers: plain(trailers) }
}

/** Sends a call to both listeners. Returns what both have answered, and whether the plain handler took it. */
async function compare(request: RawRequest) {
  const before = taken.length
  const [plain, runtime] = [
    await call(sessions[0] as ClientHttp2Session, request),
    await call(sessions[1] as ClientHttp2Session, request),
  ]
  assert.deepEqual(plain, runtime)
  assert.equal(taken.length, before + 1)
  return { answer: plain, isTaken: taken.at(-1) as boolean }
}

const encode = (init: Parameters<typeof create<typeof SubmitLeadRequestSchema>>[1]) =>
  toBinary(SubmitLeadRequestSchema, create(SubmitLeadRequestSchema, init))
const valid = encode({ lead: { case: 'quoteRequest', value: quote } })
const unknownField = Uint8Array.of(0xba, 0x3e, 0x01, 0x41)

const messages: Record<string, Uint8Array> = {
  'a lead': valid,
  'a lead with a key': encode({ lead: { case: 'contactMessage', value: { name: 'Pat' } }, idempotencyKey: 'k' }),
  'unknown fields': Buffer.concat([valid, unknownField]),
  'no field': new Uint8Array(),
  'no lead': unknownField,
  'an origin with faults': encode({
    lead: { case: 'quoteRequest', value: quote },
    origin: { clientAddress: 'nowhere', userAgent: 'a\u0007' },
  }),
  'what does not decode': Uint8Array.of(0xff),
  'text that is not UTF-8': Uint8Array.of(0x0a, 3, 0x0a, 1, 0xff),
  'the largest message': Buffer.concat([
    Uint8Array.of(0xba, 0x3e, ...[0xf9, 0xff, 7]),
    Buffer.alloc(messageMaxBytes - 5),
  ]),
}

const frames: Record<string, (message: Uint8Array) => Uint8Array> = {
  plain: (message) => envelope(message),
  none: () => new Uint8Array(),
  'part of a head': (message) => envelope(message).subarray(0, 3),
  'a head alone': () => envelope(Buffer.alloc(9)).subarray(0, 5),
  'truncated inside its last field': () =>
    envelope(Buffer.concat([valid, Uint8Array.of(0xba, 0x3e, 2, 0, 0)])).subarray(0, -2),
  truncated: (message) => envelope(Buffer.concat([message, Buffer.alloc(7)])).subarray(0, -1),
  'two messages': (message) => Buffer.concat([envelope(message), envelope(message)]),
  'a message and part of another': (message) => Buffer.concat([envelope(message), Buffer.alloc(4)]),
  oversized: (message) => envelope(Buffer.concat([message, Buffer.alloc(messageMaxBytes + 1)])),
  'oversized by its head': () => Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3]),
  'flagged as compressed': (message) => envelope(message, 1),
  compressed: (message) => envelope(gzipSync(message), 1),
  'flagged as the end of a stream': (message) => envelope(message, 2),
  'flagged as trailers': (message) => envelope(message, 128),
}

const outcomes: Record<string, () => Promise<SubmitResult>> = {
  created: async () => ({ outcome: 'created', receipt }),
  replayed: async () => ({ outcome: 'replayed', receipt }),
  duplicate: async () => ({ outcome: 'duplicate', receipt }),
  faults: async () => {
    throw twoFaults()
  },
  unicode: async () => {
    throw new LeadError('validation_failed', 'Größe 100 %: 😀\u0007', { retryAfterSeconds: 3 })
  },
  overloaded: async () => {
    throw new LeadError('overloaded', 'Try later', { retryAfterSeconds: 3 })
  },
  'an error of the runtime': async () => {
    throw new ConnectError('not today', Code.Aborted, { 'x-extra': 'é', 'x-extra-bin': 'AAEC' })
  },
  'a bug': async () => {
    throw new TypeError('customer@example.com is not a function')
  },
  'no error at all': () => Promise.reject(undefined),
}

const created = outcomes.created as () => Promise<SubmitResult>

const timeouts = ['1H', '5M', '90S', '90000m', '90000000u', '99999999H', '0n', '0m', '1', 'soon', '-1S', '123456789S']
const optional = (name: string, values: readonly string[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<Record<string, string>>({}) },
    fc.constantFrom(...values).map((value) => ({ [name]: value })),
  )

const encodings = ['identity', 'gzip', 'br', '']
const acceptedEncodings = ['gzip', 'identity, deflate,gzip', 'identity', 'br', '']
const contentTypes = [
  'application/grpc+proto',
  'application/GRPC',
  'application/grpc+json',
  'application/grpc; charset=utf-8',
  'text/plain',
]
const otherHeaders: readonly RawRequest['headers'][] = [
  { 'x-tag-bin': 'AAEC', 'user-agent': 'grpc-go/1.60', 'x-twice': ['a', 'b'] },
  { origin: 'https://example.com' },
  { 'sec-fetch-site': 'none' },
  { ':path': `${submitPath}?x=1` },
  { ':path': '/leadintake.v1.LeadIntakeService/Nope' },
  { ':path': '/leadintake.v1.LeadInboxService/GetLead' },
  { ':method': 'PUT' },
  { 'grpc-timeout': ['1S', '2S'] },
  { expect: '100-continue' },
]
const headersOf = fc
  .tuple(
    optional('grpc-timeout', timeouts),
    optional('grpc-encoding', encodings),
    optional('grpc-accept-encoding', acceptedEncodings),
    optional('content-type', contentTypes),
    fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, fc.constantFrom(...otherHeaders)),
  )
  .map((parts) => Object.assign({}, ...parts) as RawRequest['headers'])

const fieldsOf = (type: string) =>
  Buffer.concat([
    literalField(':method', 'POST'),
    literalField(':scheme', 'http'),
    literalField(':path', submitPath),
    literalField(':authority', 'localhost'),
    literalField('content-type', type),
  ])

/** Cuts bytes at some places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b)
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index])).filter((chunk) => chunk.length > 0)
}

const plainFrame = () => ({ headers: {}, chunks: [envelope(valid)] })

suite('a gRPC call of SubmitLead gets from the plain handler what it gets from the Connect runtime', () => {
  for (const [name, outcome] of Object.entries(outcomes)) {
    test(`when the submission ends with: ${name}`, async () => {
      submit = outcome
      const { isTaken } = await compare(plainFrame())
      assert.equal(isTaken, true)
    })
  }

  for (const [name, frame] of Object.entries(frames)) {
    test(`when the frame is: ${name}`, async () => {
      submit = created
      const { answer, isTaken } = await compare({ headers: {}, chunks: cut(frame(valid), []) })
      assert.equal(isTaken, true)
      // The runtime ignores the flags that gRPC does not define.
      const isAccepted = ['plain', 'flagged as the end of a stream', 'flagged as trailers'].includes(name)
      assert.equal(answer.submitted.length, isAccepted ? 1 : 0)
    })
  }

  for (const [name, message] of Object.entries(messages)) {
    test(`when the message is: ${name}`, async () => {
      submit = created
      await compare({ headers: {}, chunks: [envelope(message)] })
    })
  }

  test('however the frame is cut', async () => {
    submit = created
    const end = envelope(valid).length
    for (const frame of Object.values(frames)) {
      for (const place of [3, 5, 6, end - 1, end, end + 2]) {
        await compare({ headers: {}, chunks: cut(frame(valid), [place]) })
      }
    }
  })

  test('whatever its headers are', async () => {
    submit = created
    const all = [
      ...timeouts.map((timeout) => ({ 'grpc-timeout': timeout })),
      ...encodings.map((encoding) => ({ 'grpc-encoding': encoding })),
      ...acceptedEncodings.map((encodings) => ({ 'grpc-accept-encoding': encodings })),
      ...contentTypes.map((type) => ({ 'content-type': type })),
      ...otherHeaders,
    ]
    for (const headers of all) await compare({ ...plainFrame(), headers })
  })

  test('whoever the caller is', async () => {
    submit = created
    const codes = []
    for (names of [['crm'], ['other', 'crm'], ['report'], ['nobody'], [], undefined]) {
      const { answer } = await compare(plainFrame())
      codes.push([answer.summary.caller, answer.summary.code])
    }
    assert.deepEqual(codes, [
      ['crm', 'ok'],
      ['crm', 'ok'],
      ['report', 'permission_denied'],
      ['nobody', 'permission_denied'],
      [undefined, 'permission_denied'],
      [undefined, 'ok'],
    ])
  })

  test('when several DATA frames arrive in one packet', async () => {
    submit = created
    const before = submitted.length
    const ended = nextCall()
    const socket = connectTcp(ports[0] as number, '127.0.0.1')
    const bytes = Buffer.from(envelope(valid))
    const data = [bytes.subarray(0, 2), bytes.subarray(2, 9), bytes.subarray(9)]
    socket.write(
      Buffer.concat([
        http2Preface,
        http2Frame(4, 0, 0, Buffer.alloc(0)),
        http2Frame(1, 4, 1, fieldsOf('application/grpc')),
        ...data.map((chunk, index) => http2Frame(0, index === 2 ? 1 : 0, 1, chunk)),
      ]),
    )
    assert.equal((await ended).code, 'ok')
    assert.equal(submitted.length, before + 1)
    socket.destroy()
  })

  test('whatever is sent', async () => {
    const anyCall = fc.record({
      outcome: fc.constantFrom(...Object.keys(outcomes)),
      message: fc.constantFrom(...Object.keys(messages)),
      frame: fc.oneof({ weight: 2, arbitrary: fc.constant('plain') }, fc.constantFrom(...Object.keys(frames))),
      headers: headersOf,
      places: fc.array(fc.nat(300), { maxLength: 3 }),
    })
    let takenCalls = 0
    await fc.assert(
      fc.asyncProperty(anyCall, async ({ outcome, message, frame, headers, places }) => {
        submit = outcomes[outcome] as () => Promise<SubmitResult>
        const bytes = (frames[frame] as (message: Uint8Array) => Uint8Array)(messages[message] as Uint8Array)
        const { isTaken } = await compare({ headers, chunks: cut(bytes, places) })
        if (isTaken) takenCalls++
      }),
      { numRuns: 200 },
    )
    assert.ok(takenCalls > 20, `${takenCalls} calls were plain`)
  })

  for (const timeout of ['99m', '99000u', '99999999n', '0S']) {
    test(`when its deadline of ${timeout} expires first`, async () => {
      submit = () => new Promise(() => {})
      const { answer, isTaken } = await compare({ ...plainFrame(), headers: { 'grpc-timeout': timeout } })
      assert.equal(isTaken, true)
      assert.equal(answer.summary.code, 'deadline_exceeded')
      // Nothing is begun for a caller who has given up before the message is complete.
      assert.equal(answer.submitted.length, timeout === '0S' ? 0 : 1)
    })
  }
})

suite('a gRPC call that is canceled', () => {
  for (const index of [0, 1]) {
    const by = index === 0 ? 'the plain handler' : 'the Connect runtime'
    const open = async () => {
      const session = connect(`http://127.0.0.1:${ports[index]}`)
      await once(session, 'remoteSettings')
      const headers = { ':method': 'POST', ':path': submitPath, 'content-type': 'application/grpc', te: 'trailers' }
      return { session, stream: session.request(headers).on('error', () => {}), ended: nextCall() }
    }

    test(`is reported as canceled, although its lead was stored, with ${by}`, async () => {
      const held = Promise.withResolvers<SubmitResult>()
      submit = () => held.promise
      const [before, errorsBefore] = [submitted.length, errors.length]
      const { session, stream, ended } = await open()
      stream.end(envelope(valid))
      await until('the lead is submitted', () => submitted.length > before)
      stream.close(constants.NGHTTP2_CANCEL)
      assert.equal((await ended).code, 'canceled')
      held.resolve({ outcome: 'created', receipt })
      await new Promise((resolve) => session.ping(resolve))
      assert.equal(submitted.length, before + 1)
      assert.equal(errors.length, errorsBefore)
      session.destroy()
    })

    test(`submits nothing before its message is complete, with ${by}`, async () => {
      const [before, takenBefore] = [submitted.length, taken.length]
      const { session, stream, ended } = await open()
      stream.write(envelope(valid).subarray(0, 7))
      await new Promise((resolve) => session.ping(resolve))
      session.destroy()
      assert.equal((await ended).code, 'canceled')
      assert.equal(submitted.length, before)
      assert.equal(taken.length, takenBefore + (index === 0 ? 1 : 0))
    })

    // Without its end, a request may lack an origin and a key: they come last.
    for (const [type, sent] of [
      ['application/grpc', envelope(valid)],
      ['application/proto', valid],
    ] as const) {
      for (const [how, end] of [
        ['a reset', http2Frame(3, 0, 1, Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL]))],
        ['a broken connection', undefined],
      ] as const) {
        test(`submits nothing when ${how} takes the place of its end, as ${type}, with ${by}`, async () => {
          submit = created
          const before = submitted.length
          const ended = nextCall()
          const socket = connectTcp(ports[index] as number, '127.0.0.1')
          let answered = Buffer.alloc(0)
          socket.on('data', (chunk: Buffer) => {
            answered = Buffer.concat([answered, chunk])
          })
          socket.write(
            Buffer.concat([
              http2Preface,
              http2Frame(4, 0, 0, Buffer.alloc(0)),
              http2Frame(1, 4, 1, fieldsOf(type)),
              http2Frame(0, 0, 1, Buffer.from(sent)),
              http2Frame(6, 0, 0, Buffer.from('all read')),
            ]),
          )
          await until('the message has arrived', () => answered.includes('all read'))
          if (end) socket.write(end)
          else socket.destroy()
          assert.equal((await ended).code, 'canceled')
          assert.equal((await compare(plainFrame())).answer.summary.code, 'ok')
          assert.equal(submitted.length, before + 2)
          socket.destroy()
        })
      }
    }
  }
})
