import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import LinkHeader from 'http-link-header'
import { type Answer, assertProblem, freshClient, get, metricOf, post } from '../support/http.ts'
import { startService } from '../support/service.ts'
import { quote, unique } from '../support/submissions.ts'

const origin = 'https://www.example.com'
const service = await startService({ CORS_ORIGINS: `${origin}, http://localhost:5173` })
after(() => service.stop())

const links = (answer: Answer) => LinkHeader.parse(answer.headers.get('link') ?? '')

suite('CORS on the lead paths', () => {
  test('an allowed origin may read answers and errors, and is told what a form may send', async () => {
    const headers = { Origin: origin }
    for (const path of ['/api/v1/leads', '/api/leads']) {
      for (const body of [unique(), '{']) {
        const { status, headers: fields } = await post(service.url, body, { path, headers })
        assert.equal(status, body === '{' ? 400 : 201)
        assert.equal(fields.get('access-control-allow-origin'), origin)
        assert.equal(fields.get('access-control-allow-credentials'), null)
        assert.match(fields.get('access-control-expose-headers') ?? '', /RateLimit-Reset.*Retry-After.*X-Request-Id$/)
      }
      const asked = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'content-type' }
      const preflight = await get(service.url + path, { ...headers, ...asked }, 'OPTIONS')
      assert.equal(preflight.status, 204)
      for (const [name, value] of Object.entries({
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': '*',
        'access-control-max-age': '7200',
        vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
      }))
        assert.equal(preflight.headers.get(name), value)
    }
  })

  test('any other origin gets no CORS headers, but no error either', async () => {
    for (const other of [`${origin}.evil.org`, 'http://www.example.com', `${origin}:8443`, 'null']) {
      const { status, headers } = await post(service.url, unique(), { headers: { Origin: other } })
      assert.deepEqual([status, headers.get('vary')], [201, 'Origin'])
      assert(![...headers.keys()].some((name) => name.startsWith('access-control')), other)
    }
  })
})

test('a preflight of an origin that is not listed is counted, but not logged', async () => {
  const name = 'lead_intake_cors_refused_total'
  assert.equal(await metricOf(service.opsUrl, name), 0)
  const ask = { Origin: 'https://new.example.com', 'Access-Control-Request-Method': 'POST' }
  assert.equal((await get(`${service.url}/api/v1/leads`, ask, 'OPTIONS')).status, 204)
  assert.equal(await metricOf(service.opsUrl, name), 1)
  assert.doesNotMatch(service.log(), /new\.example\.com/)
})

suite('the deprecated alias /api/leads', () => {
  const every = async (url: string): Promise<Answer[]> => {
    const client = freshClient()
    const answers = [await get(`${url}/api/leads`, {}, 'OPTIONS'), await get(`${url}/api/leads`)]
    for (const body of [unique(), { ...quote, phone: '1' }, ...Array<string>(9).fill('{')])
      answers.push(await post(url, body, { path: '/api/leads', client }))
    return answers
  }

  test('says in every answer that it is deprecated, and where to go', async () => {
    const answers = await every(service.url)
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [201, 204, 400, 405, 422, 429])
    for (const answer of answers) {
      assert.equal(answer.headers.get('deprecation'), '@1795651200')
      assert.equal(answer.headers.get('sunset'), null)
      const { refs } = links(answer)
      const own = {
        'successor-version': `${service.url}/api/v1/leads`,
        deprecation: `${service.url}/api-docs#deprecation`,
      }
      const ofProblem = answer.json.code && { 'service-desc': `${service.url}/openapi.json`, help: answer.json.type }
      assert.deepEqual(Object.fromEntries(refs.map(({ rel, uri }) => [rel, uri])), { ...own, ...(ofProblem as object) })
      assert.equal(refs[1]?.type, 'text/html')
    }
  })

  test('announces its scheduled removal, and is gone afterward', async () => {
    let nowMs = Date.parse('2027-06-01T00:00:00Z')
    const dates = { LEGACY_SUNSET_ANNOUNCED_AT: '2027-01-01T00:00:00Z', LEGACY_SUNSET_AT: '2028-01-01T00:00:00Z' }
    await using scheduled = await startService(dates, { now: () => nowMs })
    for (const answer of await every(scheduled.url)) {
      assert.equal(answer.headers.get('sunset'), 'Sat, 01 Jan 2028 00:00:00 GMT')
      assert.equal(links(answer).rel('sunset')[0]?.uri, `${scheduled.url}/api-docs#deprecation`)
    }
    nowMs = Date.parse('2028-01-01T00:00:00Z')
    const gone = await post(scheduled.url, unique(), { path: '/api/leads' })
    assertProblem(gone, 410, 'version_removed')
    assert.equal(links(gone).rel('successor-version')[0]?.uri, `${scheduled.url}/api/v1/leads`)
    assert.equal(gone.headers.get('ratelimit-limit'), '10')
    assert.equal((await post(scheduled.url, unique())).status, 201)
  })
})
