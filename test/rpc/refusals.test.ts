// Requests that the runtime refuses before any handler runs. Every error has its problem, in every protocol.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { after, before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { create, toBinary } from '@bufbuild/protobuf'
import { SubmitLeadRequestSchema } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { LeadError } from '../../src/lead/error.ts'
import { messageMaxBytes } from '../../src/rpc/message-size.ts'
import { quote } from '../support/submissions.ts'
import { envelope, rawCalls, sendGrpc } from './raw-call.ts'
import { type RpcServer, startRpcServer, submitPath } from './rpc-server.ts'

const watchPath = '/leadintake.v1.LeadInboxService/WatchLeads'
const encodings = ['grpc-encoding', 'content-encoding', 'connect-content-encoding']
const timeouts = ['grpc-timeout', 'connect-timeout-ms']
const under = (names: string[], value: string) => Object.fromEntries(names.map((name) => [name, value]))

let server: RpcServer
before(async () => {
  server = await startRpcServer({
    inbox: {
      async *watchLeads(_, { signal }) {
        yield { cursor: '1' }
        if (!signal.aborted) await once(signal, 'abort')
        throw signal.reason
      },
    },
  })
})
after(() => server.listener.close(0))

interface Refusal {
  message: Uint8Array
  path?: string
  headers?: Record<string, string>
  connect: string
  grpc: string
  problem: string
}

const refusals: Record<string, Refusal> = {
  'a message that is too long': {
    message: Buffer.alloc(messageMaxBytes + 1),
    connect: 'resource_exhausted',
    grpc: '8',
    problem: 'body_too_large',
  },
  'an unknown method': {
    message: Buffer.alloc(0),
    path: '/leadintake.v1.LeadIntakeService/Nope',
    connect: 'unimplemented',
    grpc: '12',
    problem: 'not_found',
  },
  'an unknown compression': {
    message: Buffer.alloc(0),
    headers: under(encodings, 'br'),
    connect: 'unimplemented',
    grpc: '12',
    problem: 'unsupported_content_encoding',
  },
  'bytes that are no message': {
    message: Uint8Array.of(0xff),
    connect: 'invalid_argument',
    grpc: '3',
    problem: 'invalid_argument',
  },
  'a deadline that is none': {
    message: Buffer.alloc(0),
    headers: under(timeouts, 'soon'),
    connect: 'invalid_argument',
    grpc: '3',
    problem: 'invalid_argument',
  },
  'a deadline that has passed': {
    message: Buffer.alloc(0),
    path: watchPath,
    headers: { 'grpc-timeout': '1n', 'connect-timeout-ms': '0' },
    connect: 'deadline_exceeded',
    grpc: '4',
    problem: 'deadline_exceeded',
  },
}

for (const [protocol, call] of Object.entries(rawCalls)) {
  const own = protocol === 'Connect, stream' ? watchPath : submitPath
  suite(`${protocol} refuses`, () => {
    for (const [what, { message, path, headers, connect, grpc, problem }] of Object.entries(refusals)) {
      if (protocol === 'Connect, unary' && path === watchPath) continue
      test(what, async () => {
        const ended = server.nextCall()
        const error = await call(server.url, path ?? own, message, headers)
        const summary = await ended
        assert.equal(error.code, protocol.startsWith('gRPC') ? grpc : connect)
        assert.equal(error.problem?.code, problem)
        assert.equal(error.problem.instance, `urn:uuid:${summary.requestId}`)
        assert.equal(error.requestId, summary.requestId)
        assert.notEqual(error.problem.detail, '')
        assert.notEqual(error.problem.hint, '')
        assert.equal(error.retryInfo !== undefined, error.problem.retryable)
        assert.equal(summary.code, connect)
      })
    }
  })
}

suite('Connect, unary refuses', () => {
  const broken: Record<string, [message: Uint8Array, problem: string]> = {
    'a message that is not compressed as it says': [Buffer.from('not gzip'), 'invalid_argument'],
    'a message that grows too large': [gzipSync(Buffer.alloc(10_000_000)), 'body_too_large'],
  }
  for (const [what, [message, problem]] of Object.entries(broken)) {
    test(what, async () => {
      const error = await rawCalls['Connect, unary']?.(server.url, submitPath, message, under(encodings, 'gzip'))
      assert.equal(error?.problem?.code, problem)
    })
  }
})

suite('a shutdown', () => {
  for (const protocol of ['gRPC', 'gRPC-Web', 'Connect, stream']) {
    test(`ends a stream by ${protocol} with a problem that says when to reconnect`, async () => {
      await using stopping = await startRpcServer({
        inbox: {
          async *watchLeads(_, { signal }) {
            yield { cursor: '1' }
            stopping.shutdown.abort(new LeadError('inbox_unavailable', 'The service is stopping. Connect again.'))
            throw signal.reason
          },
        },
      })
      const error = await rawCalls[protocol]?.(stopping.url, watchPath, Buffer.alloc(0))
      assert.equal(error?.problem?.code, 'inbox_unavailable')
      assert.equal(error.problem.retry, 'after_wait')
      assert.equal(error.retryInfo?.retryDelay?.seconds, 1n)
    })
  }
})

suite('an error in JSON', () => {
  const bodies: Record<string, [body: string, detail: RegExp]> = {
    'that is a text': ['{"quoteRequest":"call me at 5550100"}', /QuoteRequest/],
    'with a value of another type': ['{"quoteRequest":{"communicationsConsent":"5550100"}}', /expected boolean/],
    'with an unknown member': ['{"quoteRequest":{"budget":"5550100"}}', /"budget" is unknown/],
    'that is cut off': ['{"quoteRequest":{"name":"5550100', /cannot be read from JSON/],
    'that is none': ['5550100 5550100', /cannot be read from JSON/],
  }
  for (const [what, [body, detail]] of Object.entries(bodies)) {
    test(`${what}: says what is wrong, without the submitted value`, async () => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(server.url + submitPath, { method: 'POST', headers, body })
      const text = await response.text()
      assert.equal(response.status, 400)
      assert.match(JSON.parse(text).message, detail)
      assert.ok(!text.includes('5550100'), text)
    })
  }

  test('in a query that is not base64 has a problem', async () => {
    const query = '?connect=v1&encoding=proto&base64=1&message=%21'
    const response = await fetch(`${server.url}/leadintake.v1.LeadInboxService/GetLead${query}`)
    const { code, details } = (await response.json()) as { code: string; details: { type: string }[] }
    assert.deepEqual([response.status, code, details[0]?.type], [400, 'invalid_argument', 'leadintake.v1.Problem'])
  })
})

suite('a request without an RPC protocol', () => {
  const cases: [title: string, path: string, init: RequestInit, status: number, code: string][] = [
    ['to an unknown path', '/', { method: 'GET' }, 404, 'not_found'],
    ['with another content type', submitPath, { method: 'POST', body: 'x' }, 415, 'unsupported_media_type'],
    ['by another method', submitPath, { method: 'DELETE' }, 405, 'method_not_allowed'],
  ]
  for (const [title, path, init, status, code] of cases) {
    test(`${title} gets a problem document`, async () => {
      const response = await fetch(server.url + path, init)
      const problem = (await response.json()) as { code: string; status: number; instance: string }
      assert.equal(response.status, status)
      assert.equal(response.headers.get('content-type'), 'application/problem+json')
      assert.deepEqual([problem.code, problem.status], [code, status])
      assert.equal(problem.instance, `urn:uuid:${response.headers.get('x-request-id')}`)
    })
  }
})

suite('a request over HTTP/2 that Node treats specially is answered and reported:', () => {
  const cases: Record<string, [headers: Record<string, string>, status: number, code: string]> = {
    HEAD: [{ ':method': 'HEAD', ':path': submitPath }, 405, 'invalid_argument'],
    CONNECT: [{ ':method': 'CONNECT', ':authority': 'localhost' }, 404, 'unimplemented'],
    'an unknown expectation': [{ ':method': 'POST', ':path': '/', expect: 'the unexpected' }, 404, 'unimplemented'],
  }
  for (const [title, [headers, status, code]] of Object.entries(cases)) {
    test(title, { timeout: 10_000 }, async () => {
      const ended = server.nextCall()
      const session = connect(server.url)
      const stream = session.request(headers)
      stream.end()
      const [answer] = await once(stream, 'response')
      stream.close()
      const summary = await ended
      session.destroy()
      assert.deepEqual([answer[':status'], summary.code], [status, code])
      assert.equal(answer['x-request-id'], summary.requestId)
    })
  }
})

suite('gRPC refuses', () => {
  const broken: Record<string, [message: Buffer, headers: Record<string, string>, detail: RegExp]> = {
    'a compressed message without the name of the compression': [envelope(gzipSync(''), 1), {}, /name no compression/],
    'a compressed message that is cut off': [
      envelope(gzipSync(Buffer.alloc(99)).subarray(0, 15), 1),
      { 'grpc-encoding': 'gzip' },
      /cannot be decompressed/,
    ],
  }
  for (const [what, [message, headers, detail]] of Object.entries(broken)) {
    test(what, async () => {
      const error = await sendGrpc(server.url, submitPath, message, headers)
      assert.deepEqual([error.code, error.problem?.code], ['3', 'invalid_argument'])
      assert.match(error.message, detail)
    })
  }
})

suite('the largest message', () => {
  test('can hold a lead with the longest fields, every character written as a JSON escape', async () => {
    const longest: Record<string, number> = { name: 200, service: 100, notes: 5_000, email: 254, pageUrl: 2_048 }
    const escaped = (count: number) => '\\ud83d\\ude00'.repeat(count)
    const members = Object.entries({ ...quote, pageUrl: '', consentTimestamp: '2026-11-21T09:30:00.250000000Z' }).map(
      ([name, value]) => `"${name}":${longest[name] ? `"${escaped(longest[name])}"` : JSON.stringify(value)}`,
    )
    const origin = `"origin":{"clientAddress":"${escaped(45)}","userAgent":"${escaped(512)}"}`
    const body = `{"quoteRequest":{${members}},"idempotencyKey":"${escaped(255)}",${origin}}`
    assert.ok(body.length < messageMaxBytes, `${body.length}`)
    const emoji = toBinary(
      SubmitLeadRequestSchema,
      create(SubmitLeadRequestSchema, {
        lead: { case: 'quoteRequest', value: { ...quote, notes: '😀'.repeat(5_000) } },
      }),
    )
    const headers = { 'content-type': 'application/proto' }
    assert.equal((await fetch(server.url + submitPath, { method: 'POST', headers, body: emoji })).status, 200)
  })
})
