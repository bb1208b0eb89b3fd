import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import { assertProblem, freshClient, get, openRaw, post, rateOf, raw, readRaw } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { contact, quote } from '../support/submissions.ts'

let service: Service
before(async () => {
  // The table's times are relative to its own clock.
  service = await startService({}, { now: () => Date.parse('2026-11-21T09:30:00.000Z') })
})
after(() => service.stop())

let counter = 0
/** A body that is not a duplicate of another test's. */
const unique = (body: object = quote) => {
  const field = 'message' in body ? 'message' : 'notes'
  return { ...body, [field]: `Test ${++counter}` }
}
const head = (client: string, more = '') =>
  `POST /api/v1/leads HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${client}\r\nContent-Type: application/json\r\n${more}`

suite('POST /api/v1/leads', () => {
  test('answers 201 with a receipt and nothing else', async () => {
    const answer = await post(service.url, unique())
    assert.equal(answer.status, 201, answer.text)
    assert.deepEqual(Object.keys(answer.json), ['id', 'formType', 'receivedAt'])
    assert.match(String(answer.json.id), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(answer.json.formType, 'quote')
    assert.equal(answer.json.receivedAt, '2026-11-21T09:30:00.000Z')
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal(answer.headers.get('location'), null)
    assert.equal(answer.headers.get('deprecation'), null)
    assert.equal(answer.headers.get('vary'), 'Origin')
    assert.equal(answer.headers.get('cross-origin-resource-policy'), 'same-origin')
    assert.equal(answer.headers.get('x-powered-by'), null)
    assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
    assert.deepEqual(rateOf(answer), { limit: 10, remaining: 9, reset: 60, policy: '10;w=60' })
  })

  test('accepts a contact message', async () => {
    const answer = await post(service.url, unique(contact))
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.json.formType, 'support')
  })

  test('accepts any well-formed spelling of the media type', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON;CHARSET="UTF-8"',
      'application/json; x=y',
    ]) {
      assert.equal((await post(service.url, unique(), { headers: { 'Content-Type': type } })).status, 201, type)
    }
  })

  test('answers 415 to any other media type, and names the accepted one', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      'application/problem+json',
      'nonsense',
    ]) {
      const answer = await post(service.url, unique(), { headers: { 'Content-Type': type } })
      assertProblem(answer, 415, 'unsupported_media_type')
      assert.equal(answer.headers.get('accept'), 'application/json')
      assert.equal(answer.headers.get('accept-post'), 'application/json')
      rateOf(answer)
    }
    const none = await raw(service.url, `POST /api/v1/leads HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`)
    assertProblem(none, 415, 'unsupported_media_type')
  })

  test('answers 415 to a content coding', async () => {
    const answer = await post(service.url, unique(), { headers: { 'Content-Encoding': 'gzip' } })
    assertProblem(answer, 415, 'unsupported_content_encoding')
    assert.equal(answer.headers.get('accept-encoding'), 'identity')
    assert.equal((await post(service.url, unique(), { headers: { 'Content-Encoding': 'identity' } })).status, 201)
  })

  test('answers 400 to invalid JSON, invalid UTF-8, and values that are not objects', async () => {
    assertProblem(await post(service.url, '{"name":'), 400, 'malformed_json')
    assertProblem(await post(service.url, ''), 400, 'malformed_json')
    assertProblem(await post(service.url, '[1]'), 400, 'invalid_body')
    assertProblem(await post(service.url, 'null'), 400, 'invalid_body')
    assertProblem(
      await post(service.url, Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])),
      400,
      'malformed_json',
    )
    const twice = JSON.stringify(quote).replace('}', ',"communicationsConsent":false}')
    assertProblem(await post(service.url, twice), 400, 'malformed_json')
    assertProblem(await post(service.url, `{"a":${'['.repeat(9000)}${']'.repeat(9000)}}`), 422, 'validation_failed')
  })

  test('answers 400 to credentials, and does not log their value', async () => {
    for (const name of ['Authorization', 'Proxy-Authorization', 'X-API-Key']) {
      const answer = await post(service.url, unique(), { headers: { [name]: 'Bearer canary-credential' } })
      assertProblem(answer, 400, 'credentials_not_accepted')
      assert.equal(answer.headers.get('www-authenticate'), null)
      rateOf(answer)
      assert(!service.log().includes('canary-credential') && !answer.text.includes('canary'))
    }
  })

  test('never repeats or logs a submitted value', async () => {
    const canary = 'Canary7d1f'
    const answers = [
      await post(service.url, {
        ...quote,
        name: canary,
        notes: canary,
        phone: canary,
        email: canary,
        bedrooms: canary,
      }),
      await post(
        service.url,
        { ...unique(), name: canary, email: `${canary}@example.com` },
        { headers: { 'User-Agent': canary } },
      ),
      await post(service.url, `{"name":"${canary}`),
    ]
    for (const answer of answers) assert(!answer.text.includes(canary))
    assert(!service.log().includes(canary))
    assert(!service.log().includes('198.18.'))
  })
})

suite('the size of a body', () => {
  /** A valid body of exactly this many bytes, including multi-byte text. */
  const sized = (bytes: number) => {
    const text = JSON.stringify({ ...unique(), name: 'Zoë 🧽' })
    return text + ' '.repeat(bytes - Buffer.byteLength(text))
  }
  const chunked = (client: string, text: string, size: number) => {
    const bytes = Buffer.from(text)
    const chunks: Buffer[] = [Buffer.from(head(client, 'Transfer-Encoding: chunked\r\n\r\n'))]
    for (let at = 0; at < bytes.length; at += size) {
      const part = bytes.subarray(at, at + size)
      chunks.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
    }
    return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')])
  }

  test('20,000 bytes are accepted, 20,001 are not', async () => {
    assert.equal((await post(service.url, sized(20_000))).status, 201)
    const answer = await post(service.url, sized(20_001))
    assertProblem(answer, 413, 'body_too_large')
    rateOf(answer)
  })

  test('chunked bodies are counted while they arrive', async () => {
    assert.equal((await raw(service.url, chunked(freshClient(), sized(20_000), 999))).status, 201)
    assertProblem(await raw(service.url, chunked(freshClient(), sized(20_001), 999)), 413, 'body_too_large')
    assertProblem(await raw(service.url, chunked(freshClient(), sized(600_000), 16_384)), 413, 'body_too_large')
  })

  test('a body declared too long is refused before it is sent', async () => {
    assertProblem(
      await raw(service.url, head(freshClient(), 'Content-Length: 999999999\r\n\r\n')),
      413,
      'body_too_large',
    )
  })

  test('a caller that waits for 100 Continue is told to continue', async () => {
    const body = JSON.stringify(unique())
    const socket = await openRaw(service.url)
    socket.write(head(freshClient(), `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`))
    const [interim] = (await once(socket, 'data')) as [Buffer]
    assert.equal(interim.toString(), 'HTTP/1.1 100 Continue\r\n\r\n')
    socket.write(body)
    assert.equal((await readRaw(socket)).status, 201)
  })
})

suite('the rate limit', () => {
  test("refuses a client's 11th submission with Retry-After, counting both paths and invalid ones", async () => {
    const client = freshClient()
    for (let count = 1; count <= 10; count++) {
      const path = count % 2 ? '/api/v1/leads' : '/api/leads'
      const answer = await post(service.url, count % 3 ? unique() : '{', { client, path })
      assert.equal(rateOf(answer).remaining, 10 - count)
    }
    const answer = await post(service.url, unique(), { client })
    assertProblem(answer, 429, 'rate_limited')
    const rate = rateOf(answer)
    assert.equal(rate.remaining, 0)
    assert.equal(Number(answer.headers.get('retry-after')), rate.reset)
    assert(rate.reset >= 1)
    assert.equal((await post(service.url, unique())).status, 201, 'another client is not held up')
  })

  test('admits exactly 10 of 50 concurrent submissions', async () => {
    const client = freshClient()
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(service.url, unique(), { client })))
    assert.equal(answers.filter(({ status }) => status === 201).length, 10)
    assert.equal(answers.filter(({ status }) => status === 429).length, 40)
  })

  test('is checked before the body is read', async () => {
    const client = freshClient()
    for (let count = 0; count < 10; count++) await post(service.url, '{', { client })
    assertProblem(await raw(service.url, head(client, 'Content-Length: 999999999\r\n\r\n')), 429, 'rate_limited')
  })

  test('does not count reads and preflights', async () => {
    const client = freshClient()
    const headers = { 'X-Forwarded-For': client }
    for (let count = 0; count < 30; count++) {
      await get(`${service.url}/api/v1/leads`, headers, 'OPTIONS')
      const answer = await get(`${service.url}/api/v1`, headers)
      assert.equal(answer.headers.get('ratelimit-limit'), null)
    }
    assert.equal(rateOf(await post(service.url, unique(), { client })).remaining, 9)
  })

  test('counts an IPv6 /64 as one client and a mapped IPv4 address as IPv4, and ignores forged prefixes', async () => {
    const remaining = async (client: string) => rateOf(await post(service.url, '{', { client })).remaining
    assert.equal(await remaining('2001:db8:1:2::1'), 9)
    assert.equal(await remaining('2001:DB8:1:2:ffff::9'), 8)
    assert.equal(await remaining('2001:db8:1:3::1'), 9)
    assert.equal(await remaining('192.0.2.77'), 9)
    assert.equal(await remaining('::ffff:192.0.2.77'), 8)
    assert.equal(await remaining('::ffff:c000:24d'), 7)
    assert.equal(await remaining('1.1.1.1, 192.0.2.77'), 6)
    assert.equal(await remaining('203.0.113.200, 192.0.2.77, 127.0.0.1'), 5)
    const others = 'Forwarded: for=192.0.2.8\r\nX-Real-IP: 192.0.2.7\r\nX-Forwarded-For: 127.0.0.1\r\n'
    assert.equal(rateOf(await raw(service.url, head('192.0.2.77', `${others}Content-Length: 1\r\n\r\n{`))).remaining, 4)
  })
})

suite('idempotency and duplicates', () => {
  test('the same key and content return the original receipt, quoted or bare', async () => {
    const body = unique()
    const client = freshClient()
    const first = await post(service.url, body, { client, headers: { 'Idempotency-Key': '"key-1"' } })
    const again = await post(
      service.url,
      { ...body, phone: '+1 202.555.0123' },
      { client, headers: { 'Idempotency-Key': 'key-1' } },
    )
    assert.equal(first.status, 201)
    assert.equal(first.headers.get('idempotency-replayed'), null)
    assert.equal(again.status, 201)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.equal(again.text, first.text)
    rateOf(again)
  })

  test('the same key with different content is refused, without a receipt', async () => {
    const options = { client: freshClient(), headers: { 'Idempotency-Key': 'key-2' } }
    const first = await post(service.url, unique(), options)
    const other = await post(service.url, unique(), options)
    assertProblem(other, 422, 'idempotency_key_reused')
    assert(!other.text.includes(String(first.json.id)))
  })

  test('the same key from another client is a different key', async () => {
    const headers = { 'Idempotency-Key': 'key-6' }
    assert.equal((await post(service.url, unique(), { headers })).status, 201)
    const other = await post(service.url, unique(), { headers })
    assert.equal(other.status, 201)
    assert.equal(other.headers.get('idempotency-replayed'), null)
  })

  test('a retry with its key from another network still returns the original receipt', async () => {
    const body = unique()
    const headers = { 'Idempotency-Key': 'key-7' }
    const first = await post(service.url, body, { headers })
    const again = await post(service.url, body, { headers })
    assert.deepEqual([again.status, again.json], [200, { ...first.json, duplicate: true }])
  })

  test('a refused submission does not use up its key', async () => {
    const options = { client: freshClient(), headers: { 'Idempotency-Key': 'key-3' } }
    const body = unique()
    assertProblem(await post(service.url, { ...body, phone: '1' }, options), 422, 'validation_failed')
    assert.equal((await post(service.url, body, options)).status, 201)
  })

  test('the same content creates no second lead', async () => {
    const body = unique()
    const first = await post(service.url, body)
    const second = await post(service.url, { ...body, consentTimestamp: '2026-11-20T00:00:00Z', pageUrl: undefined })
    assert.equal(second.status, 200)
    assert.deepEqual(second.json, { ...first.json, duplicate: true })
    const keyed = await post(service.url, body, { headers: { 'Idempotency-Key': 'key-4' } })
    assert.deepEqual([keyed.status, keyed.json], [200, { ...first.json, duplicate: true }])
  })

  test('concurrent copies create one lead, with and without a key', async () => {
    for (const headers of [{}, { 'Idempotency-Key': 'key-5' }] as Record<string, string>[]) {
      const body = unique()
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(service.url, body, { headers })))
      assert.equal(new Set(answers.map(({ json }) => json.id)).size, 1)
      const firsts = answers.filter(({ status, headers }) => status === 201 && !headers.has('idempotency-replayed'))
      assert.equal(firsts.length, 1)
    }
  })

  test('refuses a key that is not one', async () => {
    for (const key of ['""', '"a', 'a b', 'x'.repeat(256), 'a, b']) {
      const answer = await post(service.url, unique(), { headers: { 'Idempotency-Key': key } })
      assertProblem(answer, 400, 'idempotency_key_invalid')
    }
    const body = JSON.stringify(unique())
    for (const keys of ['Idempotency-Key: a\r\nIdempotency-Key: b\r\n', 'Idempotency-Key:\r\n']) {
      assertProblem(
        await raw(service.url, head(freshClient(), `${keys}Content-Length: ${body.length}\r\n\r\n${body}`)),
        400,
        'idempotency_key_invalid',
      )
    }
  })
})
