// What callers see that client libraries hide: statuses, headers and the runtime's own refusals.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { after, before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { create, fromJson, toBinary } from '@bufbuild/protobuf'
import { SubmitLeadRequestSchema } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { createSubmit } from '../../src/lead/submit.ts'
import { messageMaxBytes } from '../../src/rpc/services.ts'
import { consent } from '../support/evidence.ts'
import { quote } from '../support/submissions.ts'
import { type RpcServer, receipt, startRpcServer, submitPath } from './rpc-server.ts'

let server: RpcServer
before(async () => {
  server = await startRpcServer()
})
after(() => server.listener.close(0))

/** Sends a chunk many times without Content-Length. Returns the status of the answer. */
async function sendChunks(url: string, chunk: Buffer, times: number): Promise<number> {
  const body = ReadableStream.from(Array<Buffer>(times).fill(chunk))
  const response = await fetch(url, { method: 'POST', headers: json, body, duplex: 'half' })
  await response.text()
  return response.status
}
/** Of a message of 200,000 bytes. Also no JSON. */
const envelopeHead = Buffer.of(0, 0, 3, 0x0d, 0x40)
const json = { 'content-type': 'application/json' }
const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** A Connect call over HTTP/1.1, and the server's summary of it. */
async function call(path: string, init: RequestInit = {}) {
  const ended = server.nextCall()
  const response = await fetch(server.url + path, { method: 'POST', headers: json, ...init })
  const text = await response.text()
  const summary = await ended
  assert.match(summary.requestId, uuidV7)
  return { response, text, summary }
}

suite('SubmitLead in JSON', () => {
  test('returns the receipt, and omits false members', async () => {
    const { response, text, summary } = await call(submitPath, { body: JSON.stringify({ quoteRequest: quote }) })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('x-request-id'), summary.requestId)
    assert.deepEqual(JSON.parse(text), { id: receipt.id, receivedAt: '2026-11-21T09:30:00.250Z' })
    assert.equal(summary.code, 'ok')
  })

  const refused: Record<string, [body: string, status: number, code: string]> = {
    'an unknown member': [JSON.stringify({ quoteRequest: { ...quote, budget: '100' } }), 400, 'invalid_argument'],
    'an unknown member beside the lead': [
      JSON.stringify({ quoteRequest: quote, consent: true }),
      400,
      'invalid_argument',
    ],
    'a value of another type': [JSON.stringify({ quoteRequest: { ...quote, bedrooms: 3 } }), 400, 'invalid_argument'],
    'both kinds at once': [
      JSON.stringify({ quoteRequest: quote, contactMessage: { name: 'Pat Example' } }),
      400,
      'invalid_argument',
    ],
    'what is not JSON': ['{"quoteRequest":', 400, 'invalid_argument'],
    nothing: ['', 400, 'invalid_argument'],
    'more bytes than a message may have': [
      JSON.stringify({ quoteRequest: { ...quote, notes: 'x'.repeat(messageMaxBytes) } }),
      429,
      'resource_exhausted',
    ],
  }
  for (const [what, [body, status, code]] of Object.entries(refused)) {
    test(`refuses ${what}`, async () => {
      const before = server.submitted.length
      const { response, text, summary } = await call(submitPath, { body })
      assert.equal(response.status, status)
      const error = JSON.parse(text)
      assert.equal(error.code, code)
      assert.equal(summary.code, 'refused')
      assert.equal(server.submitted.length, before)
    })
  }

  test('accepts messages of exactly the maximum size', async () => {
    const empty = JSON.stringify({ quoteRequest: { ...quote, notes: '' } })
    const body = JSON.stringify({ quoteRequest: { ...quote, notes: 'x'.repeat(messageMaxBytes - empty.length) } })
    assert.equal((await call(submitPath, { body })).response.status, 200)
    assert.equal((await call(submitPath, { body: `${body} ` })).response.status, 429)
  })

  test('accepts a compressed body, and refuses one that grows too large', async () => {
    const compressed = (notes: string) => ({
      headers: { ...json, 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify({ quoteRequest: { ...quote, notes } })),
    })
    assert.equal((await call(submitPath, compressed('a flat'))).response.status, 200)
    const { response, summary } = await call(submitPath, compressed('x'.repeat(10_000_000)))
    assert.equal(response.status, 429)
    assert.equal(summary.code, 'refused')
  })

  test('answers over HTTP/1.1 while an oversized message is still arriving, and ends the call', async () => {
    const ended = server.nextCall()
    assert.equal(await sendChunks(server.url + submitPath, Buffer.alloc(65_536, 'x'), 80), 429)
    assert.equal((await ended).code, 'refused')
  })

  for (const [type, name, value] of [
    ['application/json', ':status', 429],
    ['application/grpc', 'grpc-status', '8'],
  ] as const) {
    test(`answers ${type} over HTTP/2 before an oversized message ends, and closes the stream`, async () => {
      const session = connectHttp2(server.url)
      const ended = server.nextCall()
      const stream = session.request({ ':method': 'POST', ':path': submitPath, 'content-type': type })
      const fields: Record<string, unknown> = {}
      for (const event of ['response', 'trailers']) stream.on(event, (received) => Object.assign(fields, received))
      stream.resume().write(Buffer.concat([envelopeHead, Buffer.alloc(200_000, 'x')]))
      await once(stream, 'close')
      assert.equal(fields[name], value)
      assert.equal(stream.rstCode, 0)
      assert.equal((await ended).code, 'refused')
      session.close()
    })
  }

  // 😀 takes four bytes in binary, and twelve as JSON escapes.
  test('accepts the longest lead as JSON escapes and as emoji', async () => {
    const longest: Record<string, number> = { name: 200, service: 100, notes: 5_000, email: 254, pageUrl: 2_048 }
    const emoji = (count: number) => '😀'.repeat(count)
    const lead = Object.entries({ ...quote, pageUrl: '', consentTimestamp: '2026-11-21T09:30:00.250000000Z' })
    const value = Object.fromEntries(lead.map(([name, text]) => [name, longest[name] ? emoji(longest[name]) : text]))
    const origin = { clientAddress: '2001:db8::7', userAgent: emoji(512) }
    const message = { quoteRequest: value, idempotencyKey: emoji(255), origin }
    const body = JSON.stringify(message).replaceAll('😀', '\\ud83d\\ude00')
    assert.equal((await call(submitPath, { body })).response.status, 200)
    const binary = toBinary(SubmitLeadRequestSchema, fromJson(SubmitLeadRequestSchema, message))
    const headers = { 'content-type': 'application/proto' }
    assert.equal((await call(submitPath, { headers, body: Buffer.from(binary) })).response.status, 200)
    assert.partialDeepStrictEqual(server.submitted.at(-1)?.candidate, value)
  })

  test('refuses an unknown compression', async () => {
    const { response } = await call(submitPath, { headers: { ...json, 'content-encoding': 'br' }, body: '{}' })
    assert.equal(response.status, 501)
  })

  test('tolerates unknown fields in the binary form', async () => {
    const message = create(SubmitLeadRequestSchema, { lead: { case: 'quoteRequest', value: quote } })
    const unknownField = Uint8Array.of(0xba, 0x3e, 0x01, 0x41)
    const body = Buffer.concat([toBinary(SubmitLeadRequestSchema, message), unknownField])
    const { response } = await call(submitPath, { headers: { 'content-type': 'application/proto' }, body })
    assert.equal(response.status, 200)
  })

  test("applies the caller's deadline, and refuses an invalid one", async () => {
    const headers = { ...json, 'connect-timeout-ms': 'soon' }
    const { response, text } = await call(submitPath, { headers, body: JSON.stringify({ quoteRequest: quote }) })
    assert.equal(response.status, 400)
    assert.equal(JSON.parse(text).code, 'invalid_argument')
  })
})

suite('a request that is not a call', () => {
  test('to an unknown path is 404', async () => {
    for (const path of [
      '/',
      '/leadintake.v1.LeadIntakeService',
      '/leadintake.v1.LeadIntakeService/Nope',
      '/api/v1/leads',
    ]) {
      const { response, summary } = await call(path, { body: '{}' })
      assert.equal(response.status, 404)
      assert.deepEqual([summary.service, summary.method, summary.code], ['unknown', 'unknown', 'unimplemented'])
    }
  })

  test('with another content type is 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      const { response } = await call(submitPath, { headers: { 'content-type': type }, body: '{}' })
      assert.equal(response.status, 415)
    }
  })

  test('by GET to a method with side effects is 405', async () => {
    const query = '?connect=v1&encoding=json&message=%7B%7D'
    const { response } = await call(submitPath + query, { method: 'GET', headers: {} })
    assert.equal(response.status, 405)
  })

  test('for a stream in both directions over HTTP/1.1 is 505', async () => {
    const { response } = await call('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', {
      headers: { 'content-type': 'application/connect+json' },
      body: '',
    })
    assert.equal(response.status, 505)
  })
})

suite('gRPC on the wire', () => {
  const frame = (bytes: Uint8Array) => {
    const head = Buffer.alloc(5)
    head.writeUInt32BE(bytes.length, 1)
    return Buffer.concat([head, bytes])
  }

  /** One gRPC call. Returns its trailers. */
  async function grpc(body: Uint8Array, headers: Record<string, string> = {}) {
    const session = connectHttp2(server.url)
    const ended = server.nextCall()
    const stream = session.request({
      ':method': 'POST',
      ':path': submitPath,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    })
    const trailers: Record<string, unknown> = {}
    stream.on('trailers', (fields) => Object.assign(trailers, fields))
    stream.resume()
    stream.end(body)
    await new Promise((resolve, reject) => stream.on('close', resolve).on('error', reject))
    session.close()
    return { trailers, summary: await ended }
  }

  test('ends a call with status 0', async () => {
    const message = create(SubmitLeadRequestSchema, { lead: { case: 'quoteRequest', value: quote } })
    const { trailers, summary } = await grpc(frame(toBinary(SubmitLeadRequestSchema, message)))
    assert.equal(trailers['grpc-status'], '0')
    assert.equal(summary.code, 'ok')
  })

  test('refuses an oversized message', async () => {
    const { trailers, summary } = await grpc(frame(Buffer.alloc(messageMaxBytes + 1)))
    assert.equal(trailers['grpc-status'], '8')
    assert.equal(summary.code, 'refused')
  })

  test('refuses an invalid message', async () => {
    const { trailers, summary } = await grpc(frame(Uint8Array.of(0xff)))
    assert.notEqual(trailers['grpc-status'], '0')
    assert.notEqual(summary.code, 'ok')
  })

  test('keeps all faults of a lead within the 8 KiB of metadata that clients accept', async () => {
    const store = { find: async () => undefined, submit: async () => ({ kind: 'created' }) as const }
    const submit = createSubmit({ store, now: Date.now, acceptTestLeads: true, duplicateWindowHours: 24, consent })
    await using strict = await startRpcServer({ submit })
    const session = connectHttp2(strict.url)
    const stream = session.request({ ':method': 'POST', ':path': submitPath, 'content-type': 'application/grpc' })
    const wrong = Object.fromEntries(
      Object.keys(quote).map((name) => [name, name === 'communicationsConsent' ? false : '\u0007'.repeat(3)]),
    )
    const message = create(SubmitLeadRequestSchema, { lead: { case: 'quoteRequest', value: wrong } })
    let size = 0
    stream.on('trailers', (fields) => {
      assert.equal(fields['grpc-status'], '3')
      for (const [name, value] of Object.entries(fields)) size += name.length + String(value).length + 32
    })
    stream.resume()
    stream.end(frame(toBinary(SubmitLeadRequestSchema, message)))
    await new Promise((resolve) => stream.on('close', resolve))
    session.close()
    assert.ok(size > 1_000 && size < 8_192, `${size} bytes`)
  })
})
