import assert from 'node:assert/strict'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { after, suite, test } from 'node:test'
import { type ProblemCode, problemTable } from '../../src/problem/table.ts'
import { assertProblem, freshClient, get, openRaw, post, rateOf, raw, readRaw } from '../support/http.ts'
import { inboxClient, intakeClient, startService } from '../support/service.ts'
import { contact, nowMs, quote, unique } from '../support/submissions.ts'
import { until } from '../support/until.ts'

// The table's times are relative to its own clock.
const service = await startService({}, { now: () => nowMs })
after(() => service.stop())

const head = (client: string, more = '') =>
  `POST /api/v1/leads HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${client}\r\nContent-Type: application/json\r\n${more}`

suite('POST /api/v1/leads', () => {
  test('answers 201 with a receipt and nothing else', async () => {
    const answer = await post(service.url, unique())
    assert.equal(answer.status, 201, answer.text)
    assert.deepEqual(Object.keys(answer.json), ['id', 'formType', 'receivedAt'])
    assert.match(String(answer.json.id), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.partialDeepStrictEqual(answer.json, { formType: 'quote', receivedAt: '2026-11-21T09:30:00.000Z' })
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
    const fields = { 'cache-control': 'no-store', vary: 'Origin', 'cross-origin-resource-policy': 'same-origin' }
    for (const [name, value] of Object.entries(fields)) assert.equal(answer.headers.get(name), value)
    for (const name of ['location', 'deprecation', 'x-powered-by']) assert.equal(answer.headers.get(name), null)
    assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
    assert.deepEqual(rateOf(answer), { limit: 10, remaining: 9, reset: 60, policy: '10;w=60' })
  })

  test('accepts a contact message, and any well-formed spelling of the media type', async () => {
    const answer = await post(service.url, unique(contact))
    assert.deepEqual([answer.status, answer.json.formType], [201, 'support'])
    for (const type of ['Application/JSON;CHARSET="UTF-8"', 'application/json; x=y']) {
      const headers = { 'Content-Type': type, 'Content-Encoding': 'identity' }
      assert.equal((await post(service.url, unique(), { headers })).status, 201, type)
    }
  })

  const canary = 'Canary7d1f'
  const type = (value: string) => ({ 'Content-Type': value })
  const foreign = { ...quote, phone: '+44 20 7946 0018' }
  const long = { ...quote, notes: 'x'.repeat(20_000) }
  const shape = /name, phone, email, .*formType \\"support\\"/
  type Refusal = [body: unknown, headers: Record<string, string>, code: ProblemCode, facts?: RegExp]
  const refusals: Record<string, Refusal> = {
    'as a form': [quote, type('application/x-www-form-urlencoded'), 'unsupported_media_type', /llms.txt/],
    'of an invalid type': [quote, type('nonsense'), 'unsupported_media_type'],
    'not in UTF-8': [quote, type('application/json; charset=latin1'), 'unsupported_media_type', /UTF-8/],
    compressed: [quote, { 'Content-Encoding': 'gzip' }, 'unsupported_content_encoding'],
    'without content': ['', { Accept: 'text/html' }, 'malformed_json', shape],
    'in a list': ['[1]', {}, 'invalid_body', shape],
    'in an object in a list': [[{ json: quote }], {}, 'invalid_body', /#\/0\/json/],
    'nested 9,000 deep': [`{"a":${'['.repeat(9000)}${']'.repeat(9000)}}`, {}, 'validation_failed'],
    'that is too long': [long, {}, 'body_too_large', /20,000.*5,000/],
    'with an empty key': [quote, { 'Idempotency-Key': '' }, 'idempotency_key_invalid'],
    'with two keys, which HTTP joins': [quote, { 'Idempotency-Key': 'a, b' }, 'idempotency_key_invalid'],
    'with an unquoted key': [quote, { 'Idempotency-Key': 'my key' }, 'idempotency_key_invalid'],
    'with a checked box': [{ ...quote, communicationsConsent: 'on' }, {}, 'consent_required', /Consent-Version/],
    'with a foreign number': [foreign, {}, 'validation_failed', /\(202\) 555-0100 and hello@/],
    'with a token': [quote, { Authorization: `Bearer ${canary}` }, 'credentials_not_accepted'],
    'with a login for a proxy': [quote, { 'Proxy-Authorization': canary }, 'credentials_not_accepted'],
    'with an API key': [quote, { 'X-API-Key': canary }, 'credentials_not_accepted'],
  }
  for (const [what, [body, headers, code, facts = /./]] of Object.entries(refusals))
    test(`refuses a lead ${what} with a problem that says how to repair it`, async () => {
      const answer = await post(service.url, body, { headers })
      assertProblem(answer, problemTable[code].status as number, code)
      assert.equal(rateOf(answer).remaining, 9)
      assert.match(answer.text.replaceAll('\n', ' '), facts)
      const accepted = code === 'unsupported_media_type' ? 'application/json' : null
      for (const name of ['accept', 'accept-post']) assert.equal(answer.headers.get(name), accepted)
      assert.equal(answer.headers.get('accept-encoding'), 'Content-Encoding' in headers ? 'identity' : null)
      assert.equal(answer.headers.get('www-authenticate'), null)
      assert(!answer.text.includes(canary))
    })

  test('refuses a transfer coding', async () => {
    const answer = await raw(service.url, head(freshClient(), 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'))
    assertProblem(answer, 415, 'unsupported_content_encoding')
  })

  test('stores the user agent without control and bidirectional characters, as over RPC', async () => {
    const inbox = inboxClient(service.internalUrl)
    const { json } = await post(service.url, unique(), { headers: { 'User-Agent': '\u009b31mPat\t\u00ad5.0\u0085' } })
    const origin = { userAgent: '\u202e31mPat\n\u00075.0' }
    const lead = { case: 'quoteRequest', value: unique() } as const
    for (const { id } of [json as { id: string }, await intakeClient(service.internalUrl).submitLead({ lead, origin })])
      assert.equal((await inbox.getLead({ id })).lead?.consent?.userAgent, '31mPat 5.0')
  })

  test('never repeats or logs a submitted value', async () => {
    const wrong = { ...quote, name: canary, notes: canary, phone: canary, email: canary, bedrooms: canary }
    const right = { ...unique(), name: canary, email: `${canary}@example.com` }
    for (const body of [wrong, right, `{"name":"${canary}`])
      assert(!(await post(service.url, body, { headers: { 'User-Agent': canary } })).text.includes(canary))
    assert.doesNotMatch(service.log(), new RegExp(`${canary}|198\\.18\\.`))
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

  test('is at most 20,000 bytes, counted while they arrive, or refused before they are sent', async () => {
    const declared = (bytes: number) => head(freshClient(), `Content-Length: ${bytes}\r\n\r\n`)
    assert.equal((await post(service.url, sized(20_000))).status, 201)
    assert.equal((await raw(service.url, chunked(freshClient(), sized(20_000), 999))).status, 201)
    for (const answer of [
      await raw(service.url, chunked(freshClient(), sized(20_001), 999)),
      await raw(service.url, chunked(freshClient(), sized(600_000), 16_384)),
      await raw(service.url, declared(999_999_999)),
    ]) {
      assertProblem(answer, 413, 'body_too_large')
      rateOf(answer)
    }
  })

  test('a caller that waits for 100 Continue is told to continue, unless the body is too large', async () => {
    const refused = await raw(service.url, head(freshClient(), 'Expect: 100-continue\r\nContent-Length: 30000\r\n\r\n'))
    assertProblem(refused, 413, 'body_too_large')
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
  test("refuses a client's 11th submission with Retry-After, counting both paths and invalid ones, but no reads", async () => {
    const client = freshClient()
    for (const method of ['OPTIONS', 'GET']) {
      const { headers } = await get(`${service.url}/api/v1/leads`, { 'X-Forwarded-For': client }, method)
      assert.equal(headers.get('ratelimit-limit'), null)
    }
    for (let count = 1; count <= 10; count++) {
      const path = count % 2 ? '/api/v1/leads' : '/api/leads'
      const answer = await post(service.url, count % 3 ? unique() : '{', { client, path })
      assert.equal(rateOf(answer).remaining, 10 - count)
    }
    const answer = await post(service.url, unique(), { client })
    assertProblem(answer, 429, 'rate_limited')
    const { remaining, reset } = rateOf(answer)
    assert.deepEqual([remaining, Number(answer.headers.get('retry-after'))], [0, reset])
    assert(reset >= 1)
    // It is checked before the body is read.
    assertProblem(await raw(service.url, head(client, 'Content-Length: 999999999\r\n\r\n')), 429, 'rate_limited')
    assert.equal((await post(service.url, unique())).status, 201, 'another client is not held up')
  })

  test('beyond what the service can hold, refuses a submission at once without counting it, and takes it later', async () => {
    await using busy = await startService({}, { inProgressMax: 1 })
    using database = new DatabaseSync(busy.databaseUrl.slice('sqlite:'.length), { timeout: 1_000 })
    database.exec('BEGIN IMMEDIATE')
    const beginOne = async () => {
      const [socket, body] = [await openRaw(busy.url), JSON.stringify(unique())]
      socket.write(head(freshClient(), `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`))
      await once(socket, 'data')
      return () => {
        socket.write(body)
        return readRaw(socket)
      }
    }
    const begun = await Promise.all(Array.from({ length: 10 }, beginOne))
    // One of them waits for the database, so the others are answered first.
    const answers = begun.map((finish) => finish())
    let refusedCount = 0
    for (const answer of answers) void answer.then(({ json }) => (refusedCount += Number(json.code === 'overloaded')))
    await until('all others are refused', () => refusedCount === 9)
    const [client, body] = [freshClient(), unique()]
    const refused = await post(busy.url, body, { client })
    assertProblem(refused, 503, 'overloaded')
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.deepEqual(rateOf(refused), { limit: 10, remaining: 0, reset: 1, policy: '10;w=60' })
    database.exec('ROLLBACK')
    assert.deepEqual((await Promise.all(answers)).map(({ status }) => status).toSorted(), [201, ...Array(9).fill(503)])
    const taken = await post(busy.url, body, { client })
    assert.deepEqual([taken.status, rateOf(taken).remaining], [201, 9])
  })

  test('counts an IPv6 /64 as one client and a mapped IPv4 address as IPv4, and ignores forged prefixes', async () => {
    const remaining = async (client: string) => rateOf(await post(service.url, '{', { client })).remaining
    for (const [address, expected] of [
      ['2001:db8:1:2::1', 9],
      ['2001:DB8:1:2:ffff::9', 8],
      ['192.0.2.77', 9],
      ['::ffff:c000:24d', 8],
      ['203.0.113.200, 192.0.2.77, 127.0.0.1', 7],
    ] as const)
      assert.equal(await remaining(address), expected, address)
    const others = 'Forwarded: for=192.0.2.8\r\nX-Real-IP: 192.0.2.7\r\nX-Forwarded-For: 127.0.0.1\r\n'
    assert.equal(rateOf(await raw(service.url, head('192.0.2.77', `${others}Content-Length: 1\r\n\r\n{`))).remaining, 6)
  })
})

suite('idempotency and duplicates', () => {
  /** Posts with a key, from a client of its own unless one is given. */
  const postKeyed = (key: string, body: object, client = freshClient()) =>
    post(service.url, body, { client, headers: { 'Idempotency-Key': key } })

  test('the same key and content return the original receipt, quoted or bare', async () => {
    const body = { ...unique(), name: 'Jos\u00e9' }
    const client = freshClient()
    const first = await postKeyed('"key-1"', body, client)
    const again = await postKeyed('key-1', { ...body, name: 'JOSE\u0301', phone: '+1 202.555.0123' }, client)
    assert.deepEqual([first.status, first.headers.get('idempotency-replayed')], [201, null])
    assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [201, 'true'])
    assert.equal(again.text, first.text)
    rateOf(again)
    const other = await postKeyed('key-1', unique(), client)
    assertProblem(other, 422, 'idempotency_key_reused')
    assert(!other.text.includes(String(first.json.id)))
  })

  test('the same key from another client is a different key', async () => {
    const body = unique()
    const first = await postKeyed('key-2', body)
    assert.equal((await postKeyed('key-2', unique())).status, 201)
    const roaming = await postKeyed('key-2', body)
    assert.deepEqual([roaming.status, roaming.json], [200, { ...first.json, duplicate: true }])
  })

  test('a refused submission does not use up its key', async () => {
    const client = freshClient()
    const body = unique()
    assertProblem(await postKeyed('key-3', { ...body, phone: '1' }, client), 422, 'validation_failed')
    assert.equal((await postKeyed('key-3', body, client)).status, 201)
  })

  test('the same content creates no second lead, with or without a key', async () => {
    const body = unique()
    const first = await post(service.url, body)
    const moved = { ...body, consentTimestamp: '2026-11-20T00:00:00Z', pageUrl: undefined }
    const rewritten = { ...moved, name: ' Pat Example ', phone: '+1 (202) 555-0123', email: 'Pat.Example@example.com' }
    const old = await post(service.url, rewritten, { path: '/api/leads' })
    for (const { status, json } of [await postKeyed('key-4', body), old])
      assert.deepEqual([status, json], [200, { ...first.json, duplicate: true }])
  })
})
