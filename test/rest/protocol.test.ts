import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { leadPaths as publicLeadPaths } from '../../src/public-paths.ts'
import { assertProblem, freshClient, get, openRaw, post, rateOf, raw, readRaw } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'

let service: Service
before(async () => {
  service = await startService({}, { headersTimeoutMs: 600, requestTimeoutMs: 1_200 })
})
after(() => service.stop())

const documents = [
  '/.well-known/api-catalog',
  '/openapi.json',
  '/llms.txt',
  '/api-docs',
  '/developers',
  '/terms',
  '/privacy',
]
const leadPaths = publicLeadPaths.map(({ path }) => path)

suite('methods and paths', () => {
  for (const path of [
    ...documents,
    '/api/v1',
    '/problems/validation_failed',
    '/.well-known/security.txt',
    '/robots.txt',
    '/favicon.ico',
  ]) {
    test(`${path} allows only GET and HEAD`, async () => {
      const answer = await get(service.url + path)
      assert.equal(answer.status, 200)
      const head = await get(service.url + path, {}, 'HEAD')
      assert.equal(head.status, 200)
      assert.equal(head.text, '')
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'vary', 'link']) {
        assert.equal(head.headers.get(name), answer.headers.get(name), name)
      }
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const refused = await get(service.url + path, {}, method)
        assertProblem(refused, 405, 'method_not_allowed')
        assert.equal(refused.headers.get('allow'), 'GET, HEAD')
      }
    })
  }

  for (const path of leadPaths) {
    test(`${path} allows only POST and OPTIONS`, async () => {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD']) {
        const refused = await get(service.url + path, {}, method)
        assert.equal(refused.status, 405)
        assert.equal(refused.headers.get('allow'), 'POST, OPTIONS')
        if (method !== 'HEAD') assertProblem(refused, 405, 'method_not_allowed')
      }
      const options = await get(service.url + path, {}, 'OPTIONS')
      assert.equal(options.status, 204)
      assert.equal(options.text, '')
      assert.equal(options.headers.get('allow'), 'POST, OPTIONS')
      assert.equal(options.headers.get('accept-post'), 'application/json')
    })

    test(`an unknown method on ${path} is answered 405`, async () => {
      const answer = await raw(service.url, `BREW ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
      assertProblem(answer, 405, 'method_not_allowed')
      assert.equal(answer.headers.get('allow'), 'POST, OPTIONS')
    })
  }

  for (const path of [
    '/agent/auth',
    '/register',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/api/v1/leads/',
    '//api/v1/leads',
    '/api/v1/%6ceads',
    '/api/v99/leads',
    '/api/.well-known/api-catalog',
    '/api/v1/leads/0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10',
    '/leadintake.v1.LeadIntakeService/SubmitLead',
    '/leadintake.v1.LeadInboxService/ListLeads',
    '/grpc.health.v1.Health/Check',
    '/metrics',
    '/livez',
    '/readyz',
  ]) {
    test(`${path} does not exist`, async () => {
      assertProblem(await get(service.url + path), 404, 'not_found', service.url)
      assertProblem(await post(service.url, quote, { path }), 404, 'not_found')
      const head = await get(service.url + path, {}, 'HEAD')
      assert.equal(head.status, 404)
      assert.equal(head.text, '')
      assert.equal(head.headers.get('content-type'), 'application/problem+json')
    })
  }

  test('an error is a problem, whatever the caller accepts', async () => {
    assertProblem(await post(service.url, '{', { headers: { Accept: 'text/html' } }), 400, 'malformed_json')
  })

  test('links use the base URL, whatever host a caller names', async () => {
    const answer = await raw(
      service.url,
      'GET /api/v1 HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n',
    )
    assert.equal(answer.status, 200)
    assert(!answer.text.includes('evil'))
    assert((answer.json.links as Record<string, string>).leads?.startsWith(service.url))
  })
})

suite('requests that the HTTP parser rejects', () => {
  test('a request that is not HTTP gets a problem', async () => {
    for (const text of [
      'NONSENSE\r\n\r\n',
      'GET /api/v1 HTTP/9.9\r\n\r\n',
      'GET /api/v1 HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n',
    ]) {
      assertProblem(await raw(service.url, text), 400, 'bad_request', service.url)
    }
  })

  test("a malformed submission gets the rate-limit headers, and the alias's headers", async () => {
    const answer = await raw(service.url, 'POST /api/leads HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 2\r\n\r\n')
    assertProblem(answer, 400, 'bad_request')
    assert.match(answer.headers.get('deprecation') ?? '', /^@\d+$/)
    assert.match(
      answer.headers.get('link') ?? '',
      /successor-version.*service-desc.*problems\/bad_request>; rel="help"$/,
    )
    rateOf(answer)
  })

  test('a missing Host gets a problem', async () => {
    const answer = await raw(
      service.url,
      `POST /api/v1/leads HTTP/1.1\r\nX-Forwarded-For: ${freshClient()}\r\nContent-Length: 0\r\n\r\n`,
    )
    assertProblem(answer, 400, 'bad_request')
    rateOf(answer)
  })

  test('too large headers are answered 431', async () => {
    assertProblem(
      await raw(service.url, `GET /api/v1 HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`),
      431,
      'header_fields_too_large',
    )
  })

  test('headers that never end are answered 408', async () => {
    assertProblem(await raw(service.url, 'GET /api/v1 HTTP/1.1\r\nHost: x\r\n'), 408, 'request_timeout')
  })

  test("a body that never ends is answered 408, with a submission's headers", async () => {
    const text = `POST /api/v1/leads HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${freshClient()}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`
    const answer = await raw(service.url, text)
    assertProblem(answer, 408, 'request_timeout')
    rateOf(answer)
  })

  test("a broken chunk is answered 400, with a submission's headers", async () => {
    const text = `POST /api/v1/leads HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${freshClient()}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`
    const answer = await raw(service.url, text)
    assertProblem(answer, 400, 'bad_request')
    rateOf(answer)
  })

  test('garbage after a submission does not suppress its answer', async () => {
    const body = JSON.stringify({ ...quote, notes: 'Pipelined garbage' })
    const socket = await openRaw(service.url)
    socket.write(
      `POST /api/v1/leads HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${freshClient()}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}GARBAGE\r\n\r\n`,
    )
    assert.equal((await readRaw(socket)).status, 201)
  })

  test('a refusal of a complete request keeps the connection open', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const client = freshClient()
    const send = (method: string, path: string, body?: string) =>
      new Promise<{ status: number | undefined; port: number | undefined }>((resolve, reject) => {
        const call = request(service.url + path, {
          method,
          agent,
          headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': client },
        })
        call.on('response', (answer) => {
          const port = answer.socket.localPort
          answer.resume().on('end', () => resolve({ status: answer.statusCode, port }))
        })
        call.on('error', reject).end(body)
      })
    const first = await send('GET', '/nowhere')
    assert.equal(first.status, 404)
    const answers = [await send('PUT', '/api/v1', '{}')]
    for (let count = 0; count < 12; count++) answers.push(await send('POST', '/api/v1/leads', '{}'))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [405, ...Array<number>(10).fill(422), 429, 429],
    )
    for (const { port } of answers) assert.equal(port, first.port)
    agent.destroy()
  })

  test('a caller that disconnects does not affect the service', async () => {
    const socket = await openRaw(service.url)
    socket.write(
      `POST /api/v1/leads HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`,
    )
    socket.resetAndDestroy()
    assert.equal((await get(`${service.url}/api/v1`)).status, 200)
  })
})

suite('GET /api/v1', () => {
  test('describes the service, its status, and where to go', async () => {
    const answer = await get(`${service.url}/api/v1`)
    const { version, status, authentication, links, limits } = answer.json as Record<string, Record<string, unknown>>
    assert.deepEqual([version, status, authentication], ['v1', 'operational', 'none'])
    for (const name of ['leads', 'openapi', 'docs', 'catalog']) assert(String(links?.[name]).startsWith(service.url))
    assert.equal(limits?.bodyBytes, 20_000)
    assert.deepEqual(limits?.rate, { requests: 10, windowSeconds: 60, per: 'client', appliesTo: 'submissions' })
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.match(answer.headers.get('link') ?? '', /rel="api-catalog"/)
  })
})
