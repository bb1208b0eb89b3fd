import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { leadPaths as publicLeadPaths } from '../../src/public-paths.ts'
import {
  type Answer,
  assertProblem,
  freshClient,
  get,
  metricOf,
  openRaw,
  post,
  rateOf,
  raw,
  read,
} from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'

let service: Service
before(async () => {
  service = await startService({}, { headersTimeoutMs: 600, requestTimeoutMs: 1_200 })
})
after(() => service.stop())

const leadPaths = publicLeadPaths.map(({ path }) => path)

suite('methods and paths', () => {
  for (const path of ['/openapi.json', '/api-docs', '/api/v1', '/problems/validation_failed', '/robots.txt']) {
    test(`${path} allows only GET and HEAD`, async () => {
      assert.equal((await get(service.url + path)).status, 200)
      assert.equal((await get(service.url + path, {}, 'HEAD')).text, '')
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
  }

  for (const path of [
    '/agent/auth',
    '/register',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/.well-known/mcp.json',
    '/.well-known/agent.json',
    '//api-docs',
    '/api-docs//',
    '/problems/nothing',
    '/problems/__proto__',
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

suite('what is no request', () => {
  for (const [text, status, code] of [
    ['NONSENSE\r\n\r\n', 400, 'bad_request'],
    ['BREW /api/v1/leads HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'bad_request'],
    ['GET /api/v1 HTTP/9.9\r\n\r\n', 400, 'bad_request'],
    ['GET /api/v1 HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n', 400, 'bad_request'],
    ['POST /api/leads HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 2\r\n\r\n', 400, 'bad_request'],
    [`GET /api/v1 HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'header_fields_too_large'],
    ['POST /api/v1/leads HTTP/1.1\r\nHost: x\r\n', 408, 'request_timeout'],
  ] as const) {
    test(`is answered ${status}, logged and counted: ${text.slice(0, 25)}`, async () => {
      const name = `lead_intake_http_requests_total{route="unknown",status="${status}",code="${code}"}`
      const before = await metricOf(service.opsUrl, name)
      const answer = await raw(service.url, text)
      assertProblem(answer, status, code, service.url)
      assert.equal(answer.headers.get('connection'), 'close')
      assert.equal(answer.headers.get('ratelimit-limit'), null)
      assert.equal(await metricOf(service.opsUrl, name), before + 1)
      assert(service.log().includes(answer.headers.get('x-request-id') as string))
    })
  }

  test('gets its problem after the answers of the requests before it', async () => {
    const body = JSON.stringify({ ...quote, notes: 'Pipelined garbage' })
    const socket = await openRaw(service.url)
    let answers = ''
    socket.on('data', (chunk) => (answers += chunk))
    socket.write(
      `POST /api/v1/leads HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${freshClient()}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}GARBAGE\r\n\r\n`,
    )
    await once(socket, 'close')
    assert.deepEqual(
      [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status),
      ['201', '400'],
    )
  })
})

suite('a request whose content does not arrive as announced', () => {
  const fields = ['Host: x', 'Content-Type: application/json']
  for (const [what, more, status, code] of [
    ['late', 'Content-Length: 50\r\n\r\n{', 408, 'request_timeout'],
    ['late from its first byte', 'Content-Length: 50\r\n\r\n', 408, 'request_timeout'],
    ['in a broken chunk', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n', 400, 'bad_request'],
    ['in a broken second chunk', 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\nzz\r\n', 400, 'bad_request'],
  ] as const) {
    test(`but ${what} has every field of a submission in its answer`, async () => {
      const head = ['POST /api/leads HTTP/1.1', ...fields, `X-Forwarded-For: ${freshClient()}`, more].join('\r\n')
      const answer = await raw(service.url, head)
      assertProblem(answer, status, code)
      assert.equal(answer.headers.get('connection'), 'close')
      assert.equal(rateOf(answer).remaining, 9)
      assert.match(answer.headers.get('deprecation') ?? '', /^@\d+$/)
      assert.match(answer.headers.get('link') ?? '', /successor-version.*service-desc.*rel="help"$/)
    })
  }

  test('is closed after its answer', async () => {
    const socket = await openRaw(service.url)
    let answers = ''
    socket.on('data', (chunk) => (answers += chunk))
    socket.write('POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{')
    await once(socket, 'close')
    assert.deepEqual(
      [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status),
      ['404'],
    )
  })
})

suite('connections', () => {
  test('without a Host get a problem with the fields of a submission', async () => {
    const answer = await raw(
      service.url,
      `POST /api/v1/leads HTTP/1.1\r\nX-Forwarded-For: ${freshClient()}\r\nContent-Length: 0\r\n\r\n`,
    )
    assertProblem(answer, 400, 'bad_request')
    rateOf(answer)
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

const text = ({ json }: Answer) => `${json.title} ${json.detail} ${json.hint}`

suite('the texts of an error (docs/specification.md §5)', () => {
  test('404 names the two kinds of submission, and where to send them', async () => {
    const answer = await get(`${service.url}/v1/quotes`)
    assertProblem(answer, 404, 'not_found')
    assert.match(text(answer), /POST \/api\/v1\/leads/)
    assert.match(text(answer), /quote request.*contact message \(formType "support"\)/)
    assert.equal(answer.headers.get('link'), null)
  })

  test('405 names the method that was sent and the allowed ones', async () => {
    const answer = await read(await fetch(`${service.url}/api/v1/leads`, { method: 'PUT' }))
    assertProblem(answer, 405, 'method_not_allowed')
    assert.deepEqual(answer.json.allowedMethods, ['POST', 'OPTIONS'])
    assert.equal(answer.json.detail, 'PUT is not allowed here. Allowed: POST, OPTIONS.')
  })

  test('a lead that went to a wrong path is sent again to the right one', async () => {
    for (const [path, status] of [
      ['/leads', 404],
      ['/api/v1/quotes', 404],
      ['/api/v1/leads/', 404],
      ['/', 405],
      ['/api/v1', 405],
    ] as const) {
      const { status: got, json } = await post(service.url, quote, { path })
      assert.equal(got, status, path)
      assert.equal(json.hint, 'Send the same body with POST /api/v1/leads.')
      assert.deepEqual([json.retry, json.retryable], ['after_correction', false])
    }
    assert.equal((await get(`${service.url}/leads`)).json.retry, 'never')
  })

  test('a lead cannot be read', async () => {
    for (const path of ['/api/v1/leads', '/api/leads']) {
      const { status, json } = await get(service.url + path)
      assert.equal(status, 405)
      assert.match(String(json.hint), /^A lead is sent with POST and cannot be read/)
    }
    const { status, json } = await get(`${service.url}/api/v1/leads/0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10`)
    assert.equal(status, 404)
    assert.match(String(json.hint), /^A lead is sent with POST and cannot be read/)
  })

  test('a key without quotes is told what quotes do', async () => {
    const { json } = await post(service.url, quote, { headers: { 'Idempotency-Key': 'my key' } })
    assert.equal(json.code, 'idempotency_key_invalid')
    assert.match(String(json.hint), /space, comma, semicolon or backslash.*quotes make it valid/)
  })

  test('a number with another country code names the phone of the business', async () => {
    const { json } = await post(service.url, { ...quote, phone: '+44 20 7946 0018' })
    const [fault] = json.errors as { hint: string }[]
    assert.match(fault?.hint ?? '', /calls \(202\) 555-0100\.$/)
  })

  test('413 states both limits', async () => {
    const answer = await post(service.url, { ...quote, notes: 'x'.repeat(20_000) })
    assertProblem(answer, 413, 'body_too_large')
    assert.match(text(answer), /20,000 bytes/)
    assert.match(text(answer), /5,000 characters/)
  })

  test('malformed JSON: says where and why, and the usual causes', async () => {
    const answer = await post(service.url, '{"name":"canary",}')
    assertProblem(answer, 400, 'malformed_json')
    assert.match(String(answer.json.detail), /at byte 17 .*there is a comma before the closing bracket/)
    assert.match(String(answer.json.hint), /comma.*single quotes.*comment.*cut off/)
    assert(!answer.text.includes('canary'))
  })

  test('an unsupported charset is named', async () => {
    const headers = { 'Content-Type': 'application/json; charset=iso-8859-1' }
    const answer = await post(service.url, quote, { headers })
    assertProblem(answer, 415, 'unsupported_media_type')
    assert.match(text(answer), /UTF-8.*charset other than utf-8.*UTF-8/)
  })

  test('429 says in the body how long to wait, and that refused submissions count', async () => {
    const client = freshClient()
    for (let count = 0; count < 10; count++) await post(service.url, '{', { client })
    const answer = await post(service.url, quote, { client })
    assertProblem(answer, 429, 'rate_limited')
    assert.equal(answer.json.retryAfterSeconds, Number(answer.headers.get('retry-after')))
    assert.match(text(answer), /refused submissions count/i)
  })
})
