// The error texts of the public listener, which must tell their reader what to do (docs/specification.md §5).
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Answer, assertProblem, freshClient, get, post, read } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service.stop())

const text = ({ json }: Answer) => `${json.title} ${json.detail} ${json.hint}`

suite('an error of the public listener', () => {
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

  test('on a lead path links to the API description and to its own page', async () => {
    const answer = await post(service.url, '{')
    const help = `<${service.url}/problems/malformed_json>; rel="help"`
    assert.equal(answer.headers.get('link'), `<${service.url}/openapi.json>; rel="service-desc", ${help}`)
  })
})
