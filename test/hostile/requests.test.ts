import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import { assertProblem, get, metricOf, openRaw, parseAnswer, post, rateOf, raw } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { within } from '../support/until.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service.stop())

suite('invalid and late requests', () => {
  test('get problems for an invalid target, a second Host line and an invalid Host', async () => {
    for (const [line, hosts] of [
      ['GET http://[::1/ HTTP/1.1', ['a']],
      ['GET http:///api/v1 HTTP/1.1', ['a']],
      ['GET * HTTP/1.1', ['a']],
      ['GET /api/v1 HTTP/1.1', ['a', 'b']],
      ['GET /api/v1 HTTP/1.1', ['a', 'a']],
      ['GET /nowhere HTTP/1.1', ['a', 'b']],
      ['GET /api/v1 HTTP/1.1', ['a b']],
      ['GET /api/v1 HTTP/1.1', ['']],
      ['GET /api/v1 HTTP/1.1', ['[::1']],
      ['GET /api/v1 HTTP/1.1', ['a/b']],
      ['GET /api/v1 HTTP/1.1', ['a@b']],
      ['GET /api/v1 HTTP/1.1', ['a:b']],
      ['GET /api/v1 HTTP/1.1', ['a'.repeat(301)]],
    ] as const) {
      const fields = hosts.map((host) => `Host: ${host}\r\n`).join('')
      const answer = await raw(service.url, `${line}\r\n${fields}\r\n`)
      assert.equal(answer.status, line.includes('GET *') ? 405 : 400, `${line} ${hosts}`)
      assert.equal(answer.headers.get('content-type'), 'application/problem+json')
    }
  })

  test('in absolute form are served, and so is OPTIONS *', async () => {
    for (const target of ['http://leads.example.com/api/v1', 'HTTP://[::1]:8080/api/v1?a=b', '/api/v1?http://']) {
      assert.equal((await raw(service.url, `GET ${target} HTTP/1.1\r\nHost: leads.example.com:80\r\n\r\n`)).status, 200)
    }
    const answer = await raw(service.url, 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    assert.equal(answer.status, 204)
    assert.equal(answer.headers.get('allow'), 'GET, HEAD, POST, OPTIONS')
  })

  test('get answers without content at once even if their own content never arrives', async () => {
    const { headers } = await get(`${service.url}/openapi.json`, { 'Accept-Encoding': 'identity' })
    const more = 'Host: a\r\nContent-Length: 10\r\n'
    for (const [request, status] of [
      [`OPTIONS /api/v1/leads HTTP/1.1\r\n${more}\r\n`, 204],
      [`HEAD /api/v1 HTTP/1.1\r\n${more}\r\n`, 200],
      [`GET /openapi.json HTTP/1.1\r\n${more}If-None-Match: ${headers.get('etag')}\r\n\r\n`, 304],
    ] as const) {
      const socket = await openRaw(service.url)
      socket.write(request)
      const [chunk] = (await within(5_000, request, once(socket, 'data'))) as [Buffer]
      assert.equal(parseAnswer(chunk.toString()).status, status)
      socket.destroy()
    }
  })

  test('get overloaded beyond the ceiling of all clients, unless they create no lead', async () => {
    await using own = await startService({ INTAKE_CEILING_PER_MINUTE: '5', REPLICAS: '2' })
    const send = (number: number) => post(own.url, { ...quote, notes: `Ceiling ${number}` })
    for (let count = 0; count < 4; count++) assert.equal((await post(own.url, {})).status, 422)
    assert.deepEqual([(await send(1)).status, (await send(2)).status], [201, 201])
    const refused = await send(3)
    assertProblem(refused, 503, 'overloaded')
    assert.deepEqual([(await send(1)).status, (await post(own.url, {})).status], [200, 422], 'no new lead')
    const wait = Number(refused.headers.get('retry-after'))
    assert(wait > 50 && wait <= 60, `${wait}`)
    assert.equal(rateOf(refused).remaining, 9)
    assert.equal(await metricOf(own.opsUrl, 'lead_intake_ceiling_refusals_total'), 1)
  })

  test('with unknown members get an answer no longer than the largest request', async () => {
    const bodies = [
      `{"${'\u00e9'.repeat(9_500)}":1}`,
      `{${Array.from({ length: 50 }, (_, index) => `"${index}${'\u20ac'.repeat(120)}":0`).join()}}`,
      `{${Array.from({ length: 2_000 }, (_, index) => `"${index}":0`).join()}}`,
    ]
    for (const body of bodies) {
      assert(Buffer.byteLength(body) <= 20_000)
      const answer = await post(service.url, body)
      assertProblem(answer, 422, 'validation_failed')
      assert(answer.text.length <= 20_000, `${answer.text.length} bytes`)
    }
  })

  test('with overlong headers get the default or a problem', async () => {
    const long = 15_500
    const ask = async (headers: Record<string, string>, path: string, body?: string) => {
      const method = body === undefined ? 'GET' : 'POST'
      const fields = Object.entries({ Host: 'a', 'Content-Length': `${body?.length ?? 0}`, ...headers })
      const text = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
      return raw(service.url, `${method} ${path} HTTP/1.1\r\n${text}\r\n${body ?? ''}`)
    }
    const type = await ask({ 'Content-Type': `application/json${' '.repeat(long)}x;` }, '/api/v1/leads', '{}')
    assertProblem(type, 415, 'unsupported_media_type')
    const accept = await ask({ Accept: `a/b;x="${','.repeat(long)}` }, '/api-docs')
    assert.match(accept.headers.get('content-type') ?? '', /^text\/html/)
    const forwarded = await ask({ 'X-Forwarded-For': `[${':'.repeat(long)}` }, '/api/v1/leads', '{}')
    assert.equal(forwarded.status, 415)
  })
})
