import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, suite, test } from 'node:test'
import { leadPaths } from '../../src/public-paths.ts'
import { details } from '../../src/words/problems.ts'
import {
  assertProblem,
  freshClient,
  get,
  metricOf,
  openRaw,
  parseAnswer,
  post,
  rateOf,
  raw,
  statusesOf,
} from '../support/http.ts'
import { startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { within } from '../support/until.ts'

const service = await startService({}, { headersTimeoutMs: 1_500, requestTimeoutMs: 2_500 })
after(() => service.stop())

suite('methods and paths', () => {
  test('lead paths allow only POST and OPTIONS, and a lead cannot be read', async () => {
    const cannotBeRead = /^Leads are sent with POST; .* cannot read, .* cancel.*, give the customer \(202.* and .*@/
    for (const { path } of leadPaths) {
      for (const method of ['GET', 'DELETE']) {
        const refused = await get(service.url + path, {}, method)
        assertProblem(refused, 405, 'method_not_allowed')
        assert.equal(refused.json.detail, `${method} is not allowed here. Allowed: POST, OPTIONS.`)
        assert.match(String(refused.json.hint), cannotBeRead)
        const { json } = await get(`${service.url}${path}/0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10`, {}, method)
        assert.match(String(json.hint), cannotBeRead)
      }
      assert.equal((await get(service.url + path, {}, 'HEAD')).status, 405)
      const { status, text, headers } = await get(service.url + path, {}, 'OPTIONS')
      assert.deepEqual([status, text, headers.get('allow')], [204, '', 'POST, OPTIONS'])
      assert.equal(headers.get('accept-post'), 'application/json')
    }
  })

  const unknown = `
    /agent/auth /.well-known/oauth-protected-resource /.well-known/mcp.json //api-docs /api-docs//
    /problems/nothing /problems/__proto__ /api/v1/leads/ //api/v1/leads /api/v1/%6ceads /api/v99/leads
    /leadintake.v1.LeadInboxService/ListLeads /grpc.health.v1.Health/Check /metrics /livez`
  test('other paths do not exist', async () => {
    for (const path of unknown.trim().split(/\s+/)) {
      assertProblem(await get(service.url + path), 404, 'not_found', service.url)
      assertProblem(await post(service.url, quote, { path }), 404, 'not_found')
      const { status, text, headers } = await get(service.url + path, {}, 'HEAD')
      assert.deepEqual([status, text, headers.get('content-type')], [404, '', 'application/problem+json'])
    }
    const { headers, text, json } = await get(`${service.url}/v1/quotes`)
    assert.match(text, /POST \/api\/v1\/leads.*quote request.*contact message \(formType \\"support\\"\)/)
    assert.deepEqual([headers.get('link'), json.retry], [null, 'never'])
  })

  test('a request to change an existing lead or visit is not sent as a new lead', async () => {
    for (const path of ['/api/v1/leads/1/cancel', '/api/v1/appointments/1', '/unsubscribe']) {
      const { status, json } = await post(service.url, quote, { path })
      assert.match(`${status} ${json.retry} ${json.hint}`, /^404 after_corr.* erase one, give .* opt out, .*"Opt out"/)
    }
  })

  test('a lead with a request for a dry run is not stored', async () => {
    for (const path of ['/api/v1/leads?dryRun=true', '/api/leads?x=1&validate_only', '/api/v1/leads?testMode=1'])
      assertProblem(await post(service.url, quote, { path }), 400, 'bad_request')
    for (const line of ['X-Dry-Run: 1', 'X-Test: yes', 'X-Is-Test: True', 'Dry-Run: ?1', 'X-Environment: sandbox']) {
      const [name = '', value = ''] = line.split(': ')
      assertProblem(await post(service.url, quote, { headers: { [name]: value } }), 400, 'bad_request')
    }
    const asking = { dryRun: true, is_test: 1, sandbox: 'yes', validateOnly: true, environment: 'testing' }
    for (const [name, value] of Object.entries(asking)) {
      const answer = await post(service.url, { ...quote, [name]: value })
      assertProblem(answer, 400, 'bad_request')
      assert.equal(answer.json.detail, details.dry_run)
    }
    assertProblem(await post(service.url, { ...quote, test: false }), 422, 'validation_failed')
    const real = {
      path: '/api/v1/leads?test=false',
      headers: { 'X-Test': 'False', 'X-Dry-Run': '0', 'X-Sandbox': 'off' },
    }
    assert.equal((await post(service.url, quote, real)).status, 201)
  })

  test('a refusal is short, and begins with what to do', async () => {
    const keyed = { headers: { 'Idempotency-Key': 'lead form #1' } }
    const unread = { headers: { 'Content-Type': 'text/plain' } }
    for (const [body, options, length, hint] of [
      // Not 700, so that there is room for a longer host.
      [quote, unread, 665, /^Send one JSON object, with Content-Type: application\/json\. .* notes .*only after/],
      [{ ...quote, communicationsConsent: false }, {}, 1_400, /^Do what errors says/],
      [{ ...quote, phone: '1' }, keyed, 1_700, /^Send one idempotency key of .* without spaces.* Follow the hint/],
      [quote, { path: '/api/leads?dry_run=1' }, 600, /^To check a lead, validate .*\/openapi.json, and send nothing/],
    ] as const) {
      const { json } = await post(service.url, body, options)
      assert(JSON.stringify(json).length < length, JSON.stringify(json))
      assert.match(String(json.hint), hint)
    }
  })

  test('a lead sent to a wrong path is sent again to the right one', async () => {
    const places = { '/api/v1/quotes': 404, '/api/v1/leads/batch': 404, '/api/v1/leads/': 404, '/api/v1': 405 }
    for (const [path, status] of Object.entries(places)) {
      const { status: got, json } = await post(service.url, quote, { path })
      assert.equal(got, status, path)
      assert.match(
        String(json.hint),
        /^If the body has exactly the fields below, POST it with the header Content-Type: application\/json to \/api\/v1\/leads; otherwise.* name, phone, email, bedrooms.*no other members.* never make one up.*give the customer/,
      )
      assert.deepEqual([json.retry, json.retryable], ['after_correction', false])
      assert.match(String((json.consent as { wording: string }).wording), /contact me/)
    }
  })
})

suite('a caller that sends no valid HTTP', () => {
  for (const [text, status, code] of [
    ['NONSENSE\r\n\r\n', 400, 'bad_request'],
    ['BREW /api/v1/leads HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'bad_request'],
    ['POST /api/leads HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 2\r\n\r\n', 400, 'bad_request'],
    [`GET /api/v1 HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'header_fields_too_large'],
    ['POST /api/v1/leads HTTP/1.1\r\nHost: x\r\n', 408, 'request_timeout'],
  ] as const) {
    test(`is answered ${status}, logged and counted: ${JSON.stringify(text.slice(0, 25))}`, async () => {
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

  test('gets the problem after the answers to the valid requests before it', async () => {
    const body = JSON.stringify({ ...quote, notes: 'Pipelined garbage' })
    const fields = `Host: x\r\nX-Forwarded-For: ${freshClient()}\r\nContent-Type: application/json`
    const head = `POST /api/v1/leads HTTP/1.1\r\n${fields}\r\nContent-Length: ${body.length}`
    assert.deepEqual(await statusesOf(service.url, `${head}\r\n\r\n${body}GARBAGE\r\n\r\n`), [201, 400])
  })
})

suite('a caller whose body does not arrive as announced', () => {
  const fields = ['Host: x', 'Content-Type: application/json']
  for (const [what, more, status, code] of [
    ['late', 'Content-Length: 50\r\n\r\n{', 408, 'request_timeout'],
    ['in a broken chunk', 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\nzz\r\n', 400, 'bad_request'],
  ] as const) {
    test(`but ${what} gets every header of a submission in the refusal`, async () => {
      const head = ['POST /api/leads HTTP/1.1', ...fields, `X-Forwarded-For: ${freshClient()}`, more].join('\r\n')
      const answer = await raw(service.url, head)
      assertProblem(answer, status, code)
      assert.equal(answer.headers.get('connection'), 'close')
      assert.equal(rateOf(answer).remaining, 9)
      assert.match(answer.headers.get('deprecation') ?? '', /^@\d+$/)
      assert.match(answer.headers.get('link') ?? '', /successor-version.*service-desc.*rel="help"$/)
    })
  }

  test('gets a HEAD or 304 answer at once', async () => {
    const { headers } = await get(`${service.url}/openapi.json`, { 'Accept-Encoding': 'identity' })
    const more = 'Host: a\r\nContent-Length: 10\r\n'
    for (const [request, status] of [
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
})

test('a connection stays open after the refusal of a complete request', async () => {
  const fields = `Host: x\r\nX-Forwarded-For: ${freshClient()}\r\nContent-Type: application/json\r\nContent-Length: 2`
  const send = (line: string, more = '') => `${line} HTTP/1.1\r\n${fields}${more}\r\n\r\n{}`
  const submissions = send('POST /api/v1/leads').repeat(12)
  const sent = `${send('PUT /api/v1')}${submissions}${send('POST /nowhere', '\r\nConnection: close')}`
  assert.deepEqual(await statusesOf(service.url, sent), [405, ...Array<number>(10).fill(422), 429, 429, 404])
})

test('GET /api/v1 describes the service, its status, and where to go', async () => {
  const answer = await get(`${service.url}/api/v1`)
  type Root = Record<string, Record<string, unknown>>
  const { version, status, authentication, links, limits, submission } = answer.json as Root
  assert.deepEqual([version, status, authentication], ['v1', 'operational', 'none'])
  for (const name of ['leads', 'openapi', 'docs', 'catalog']) assert(String(links?.[name]).startsWith(service.url))
  const words =
    /^POST .*no response, send the identical .*Consent-Version.*No further.*has ten digits.* \(202\) 555-01\d\d and /
  assert.match(String(submission), words)
  const rate = { requests: 10, windowSeconds: 60, per: 'client', appliesTo: 'submissions' }
  assert.deepEqual(limits, { bodyBytes: 20_000, rate })
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.match(answer.headers.get('link') ?? '', /rel="api-catalog"/)
})

suite('odd requests', () => {
  test('get problems for an invalid target, a second Host line and an invalid Host', async () => {
    const hosts = ['a\r\nHost: b', 'a\r\nHost: a', 'a b', '', '[::1', 'a/b', 'a@b', 'a:b', 'a'.repeat(301)]
    for (const [target, host] of [
      ['http://[::1/', 'a'],
      ['http:///api/v1', 'a'],
      ['/nowhere', 'a\r\nHost: b'],
      ...hosts.map((host) => ['/api/v1', host]),
    ])
      assertProblem(await raw(service.url, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`), 400, 'bad_request')
    const fields = `X-Forwarded-For: ${freshClient()}\r\nContent-Length: 0`
    const withoutHost = await raw(service.url, `POST /api/v1/leads HTTP/1.1\r\n${fields}\r\n\r\n`)
    assertProblem(withoutHost, 400, 'bad_request')
    rateOf(withoutHost)
  })

  test('in absolute form are served', async () => {
    for (const target of ['http://leads.example.com/api/v1', 'HTTP://[::1]:8080/api/v1?a=b', '/api/v1?http://'])
      assert.equal((await raw(service.url, `GET ${target} HTTP/1.1\r\nHost: leads.example.com:80\r\n\r\n`)).status, 200)
  })

  test('with unknown members get an answer of bounded size, with at most 50 faults', async () => {
    const members = (count: number, name = '') => Array.from({ length: count }, (_, index) => `"${index}${name}":0`)
    for (const [body, omitted] of [
      [JSON.stringify(quote).replace('}', `,${members(50, '\u20ac'.repeat(120))}}`), undefined],
      [`{${members(2_000)}}`, 1_958],
    ] as const) {
      const answer = await post(service.url, body)
      assertProblem(answer, 422, 'validation_failed')
      assert(answer.text.length <= 25_000, `${answer.text.length} bytes`)
      assert.deepEqual([answer.json.errors?.length, answer.json.errorsOmitted], [50, omitted])
    }
  })
})
