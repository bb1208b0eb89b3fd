// What callers see that client libraries hide: statuses, sizes and headers.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { after, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { create, fromJson, toBinary } from '@bufbuild/protobuf'
import { SubmitLeadRequestSchema } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { envelope } from '../support/http2-frames.ts'
import { quote } from '../support/submissions.ts'
import { checkingSubmit, startRpcServer, submitPath } from './rpc-server.ts'

const server = await startRpcServer()
after(() => server.listener.close(0))

const json = { 'content-type': 'application/json' }
const leadWith = (more: object, beside: object = {}) =>
  JSON.stringify({ quoteRequest: { ...quote, ...more }, ...beside })

/** A Connect call over HTTP/1.1, and the server's summary of it. */
async function call(path: string, init: RequestInit = {}) {
  const ended = server.nextCall()
  const response = await fetch(server.url + path, { method: 'POST', headers: json, ...init })
  const text = await response.text()
  const summary = await ended
  assert.match(summary.requestId, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  return { response, status: response.status, text, summary }
}

/** One gRPC call. Returns its headers and trailers. */
async function grpc(url: string, body: Uint8Array, type = 'application/grpc', authority = 'localhost') {
  const session = connectHttp2(url)
  const names = { ':method': 'POST', ':path': submitPath, ':authority': authority }
  const stream = session.request({ ...names, 'content-type': type, te: 'trailers' })
  const fields: Record<string, unknown> = {}
  for (const event of ['response', 'trailers']) stream.on(event, (received) => Object.assign(fields, received))
  stream.resume().end(body)
  await once(stream, 'close')
  session.close()
  return { fields, reset: stream.rstCode }
}

/** A submission in binary. */
const binaryOf = (value: object) =>
  toBinary(SubmitLeadRequestSchema, create(SubmitLeadRequestSchema, { lead: { case: 'quoteRequest', value } }))

suite('SubmitLead', () => {
  test('refuses what is not its message and unknown members of JSON, but takes unknown fields in binary', async () => {
    const submittedBefore = server.submitted.length
    for (const body of [
      leadWith({ budget: '100' }),
      leadWith({}, { consent: true }),
      leadWith({ bedrooms: 3 }),
      leadWith({}, { contactMessage: { name: 'Pat Example' } }),
      '{"quoteRequest":',
    ]) {
      const { status, text, summary } = await call(submitPath, { body })
      assert.deepEqual([status, JSON.parse(text).code, summary.code], [400, 'invalid_argument', 'refused'])
    }
    const { fields } = await grpc(server.url, envelope(Uint8Array.of(0xff)))
    assert.deepEqual([fields['grpc-status'] === '0', server.submitted.length], [false, submittedBefore])
    const request = create(SubmitLeadRequestSchema, { lead: { case: 'quoteRequest', value: quote } })
    for (const message of [request, request.lead.value as object])
      Object.assign(message, { $unknown: [{ no: 999, wireType: 2, data: Uint8Array.of(1, 65) }] })
    const body = Buffer.from(toBinary(SubmitLeadRequestSchema, request))
    assert.equal((await call(submitPath, { headers: { 'content-type': 'application/proto' }, body })).status, 200)
    assert.deepEqual(server.submitted.at(-1)?.candidate, quote)
  })

  // 😀 takes four bytes in binary, and twelve as JSON escapes.
  test('accepts the longest lead as JSON escapes and as emoji', async () => {
    const longest: Record<string, number> = { name: 200, service: 100, notes: 5_000, email: 254, pageUrl: 2_048 }
    const emoji = (count: number) => '😀'.repeat(count)
    const lead = Object.entries({ ...quote, pageUrl: '', consentTimestamp: '2026-11-21T09:30:00.250000000Z' })
    const value = Object.fromEntries(lead.map(([name, text]) => [name, longest[name] ? emoji(longest[name]) : text]))
    const origin = { clientAddress: '2001:db8::7', userAgent: emoji(512) }
    const message = { quoteRequest: value, idempotencyKey: emoji(255), origin }
    const body = JSON.stringify(message).replaceAll('😀', '\\ud83d\\ude00')
    assert.equal((await call(submitPath, { body })).status, 200)
    const binary = toBinary(SubmitLeadRequestSchema, fromJson(SubmitLeadRequestSchema, message))
    const headers = { 'content-type': 'application/proto' }
    assert.equal((await call(submitPath, { headers, body: Buffer.from(binary) })).status, 200)
    assert.partialDeepStrictEqual(server.submitted.at(-1)?.candidate, value)
  })
})

suite('the size of a message', () => {
  test('may be exactly the limit; a caller that sends one byte more is refused', async () => {
    for (const [path, least, max] of [
      [submitPath, leadWith({}), 131_072],
      ['/grpc.health.v1.Health/Check', '{}', 4_096],
    ] as const) {
      const body = least.padEnd(max)
      assert.equal((await call(path, { body })).status, 200)
      const { status, text, summary } = await call(path, { body: `${body} ` })
      assert.deepEqual([status, JSON.parse(text).code, summary.code], [429, 'resource_exhausted', 'refused'])
    }
  })

  test('counts after decompression, so a small bomb is refused', async () => {
    const headers = { ...json, 'content-encoding': 'gzip' }
    const send = (notes: string) => call(submitPath, { headers, body: gzipSync(leadWith({ notes })) })
    assert.equal((await send('a flat')).status, 200)
    assert.equal((await send('x'.repeat(10_000_000))).status, 429)
    for (const [type, name, value] of [
      ['application/json', ':status', 429],
      ['application/grpc', 'grpc-status', '8'],
    ] as const) {
      const ended = server.nextCall()
      const { fields, reset } = await grpc(server.url, envelope(Buffer.alloc(200_000, 'x')), type)
      assert.deepEqual([fields[name], reset, (await ended).code], [value, 0, 'refused'])
    }
  })
})

test('a content type that a method does not take is refused with those that it takes', async () => {
  const watchPath = '/grpc.health.v1.Health/Watch'
  for (const [path, type, expected] of [
    [watchPath, 'application/json', /application\/connect\+json/],
    [submitPath, 'application/connect+json', /application\/json/],
  ] as const) {
    const { status, text } = await call(path, { headers: { 'content-type': type }, body: '{}' })
    assert.equal(status, 415)
    const problem = JSON.parse(text)
    assert.partialDeepStrictEqual(problem, { code: 'content_type_refused', status: 415, retry: 'after_correction' })
    for (const words of [problem.detail, problem.hint]) assert.match(words, expected)
  }
})

test('what Connect or Node refuses is counted, too', async () => {
  const query = '?connect=v1&encoding=json&message=%7B%7D'
  for (const [path, init, status] of [
    ['/', {}, 404],
    ['/leadintake.v1.LeadIntakeService/Nope', {}, 404],
    ['/api/v1/leads', {}, 404],
    [submitPath, { headers: { 'content-type': 'text/plain' } }, 415],
    [submitPath, { headers: { 'content-type': 'application/grpc-web-text' } }, 415],
    [submitPath, { headers: { ...json, 'content-encoding': 'br' }, body: '{}' }, 501],
    [`${submitPath}${query}`, { method: 'GET', headers: {} }, 405],
    [`/leadintake.v1.LeadInboxService/ListLeads${query}`, { method: 'GET', headers: {} }, 405],
  ] as const) {
    const { status: got, summary } = await call(path, init)
    assert.equal(got, status)
    assert.equal(summary.code, status === 404 ? 'unimplemented' : 'refused')
    assert.equal(summary.service === 'unknown', status === 404)
  }
})

test('all faults of a lead fit into 4 KiB of details, and the trailers into the 8 KiB that gRPC clients accept', async () => {
  await using strict = await startRpcServer({ submit: checkingSubmit() })
  const names = Object.keys(quote)
  const wrong = Object.fromEntries(names.map((name) => [name, name === 'communicationsConsent' ? false : '{{x}}']))
  const { fields } = await grpc(strict.url, envelope(binaryOf(wrong)))
  assert.equal(fields['grpc-status'], '3')
  const bytes = Object.entries(fields).reduce((sum, [name, value]) => sum + name.length + `${value}`.length + 32, 0)
  assert.ok(bytes < 8_192, `${bytes} bytes`)
  const status = Buffer.from(`${fields['grpc-status-details-bin']}`, 'base64')
  assert.ok(status.length > 2_000 && status.length <= 4_096, `${status.length} bytes of details`)
  for (const name of names) assert.ok(status.includes(`#/${name}`), name)
})

test('a caller whose authority is the path of a socket is served', async () => {
  await using server = await startRpcServer({ loopbackOnly: false })
  const { fields } = await grpc(server.url, envelope(binaryOf(quote)), 'application/grpc', '%2Frun%2Flead-intake.sock')
  assert.equal(fields['grpc-status'], '0')
})
