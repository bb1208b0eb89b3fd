import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import LinkHeader from 'http-link-header'
import { type Answer, assertProblem, get } from '../support/http.ts'
import { startService } from '../support/service.ts'

const origin = 'https://leads.example.org'
const service = await startService({ BASE_URL: origin })
after(() => service.stop())

const pages = ['/api-docs', '/developers', '/website-forms', '/terms', '/privacy', '/problems', '/problems/not_found']
const linkset = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
/** By media type. Scripts of every origin may read the open ones. */
const documents: [type: string, isOpen: boolean, ...paths: string[]][] = [
  ['text/html; charset=utf-8', false, ...pages],
  ['image/svg+xml', false, '/favicon.ico', '/favicon.svg'],
  ['text/css; charset=utf-8', false, '/site.css'],
  ['text/markdown; charset=utf-8', true, ...pages.map((path) => `${path}.md`)],
  [linkset, true, '/.well-known/api-catalog'],
  ['application/json; charset=utf-8', true, '/openapi.json'],
  ['text/plain; charset=utf-8', true, '/llms.txt', '/.well-known/security.txt', '/robots.txt'],
  ['text/javascript; charset=utf-8', true, '/website-forms.js'],
]

/** Asks for the plain text, unless `headers` accept another coding, which `fetch` decodes. */
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  get(service.url + path, { 'Accept-Encoding': 'identity', ...headers }, method)

for (const [type, isOpen, ...paths] of documents)
  test(`a document of type ${type} has its fields, allows only GET and HEAD, and is compressed on request with another ETag`, async () => {
    for (const path of paths) {
      const plain = await ask(path, { Origin: 'https://elsewhere.example', Accept: 'image/png' })
      const { status, headers } = plain
      assert.equal(status, 200)
      const page = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; "
      const policy = headers.get('content-security-policy') ?? ''
      if (pages.includes(path))
        assert.equal(policy, `${page}form-action 'none'; frame-ancestors 'none'; connect-src 'self'`)
      else assert.match(policy, /^default-src 'none';((?!unsafe).)*$/)
      const expected = {
        'content-type': type,
        'access-control-allow-origin': isOpen ? '*' : null,
        'cross-origin-resource-policy': isOpen ? 'cross-origin' : 'same-origin',
        'cache-control': 'public, max-age=3600',
        'content-length': String(Buffer.byteLength(plain.text)),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': 'max-age=31536000',
        'ratelimit-limit': null,
        'content-encoding': null,
        'content-language': /html|markdown/.test(type) ? 'en' : null,
        vary: 'Accept-Encoding',
      }
      for (const [name, value] of Object.entries(expected)) assert.equal(headers.get(name), value, `${name} of ${path}`)
      for (const method of ['POST', 'OPTIONS']) {
        const refused = await ask(path, {}, method)
        assertProblem(refused, 405, 'method_not_allowed')
        assert.equal(refused.headers.get('allow'), 'GET, HEAD')
      }
      const gzip = await ask(path, { 'Accept-Encoding': 'deflate, gzip, br' })
      assert.deepEqual([gzip.headers.get('content-encoding'), gzip.text], ['gzip', plain.text])
      const head = await ask(path, {}, 'HEAD')
      assert.deepEqual([head.status, head.text], [200, ''])
      for (const name of ['etag', ...Object.keys(expected)])
        assert.equal(head.headers.get(name), headers.get(name), name)
      for (const [coding, own, other] of [
        ['identity', plain, gzip],
        ['gzip', gzip, plain],
      ] as const) {
        const statusFor = async ({ headers }: Answer) =>
          (await ask(path, { 'Accept-Encoding': coding, 'If-None-Match': headers.get('etag') ?? '' })).status
        assert.deepEqual([await statusFor(own), await statusFor(other)], [304, 200])
      }
    }
  })

test('a current copy is recognized by its strong ETag, even in a list or in weak form, and keeps what caches need', async () => {
  const { headers } = await ask('/api-docs')
  const etag = headers.get('etag') ?? ''
  assert.match(etag, /^"[^"]+"$/)
  for (const field of [`"other" , W/${etag},"more"`, '*', ` ${etag} `]) {
    const again = await ask('/api-docs', { 'If-None-Match': field })
    assert.deepEqual([again.status, again.text, again.headers.get('content-type')], [304, '', null], field)
    for (const name of ['etag', 'cache-control', 'vary', 'link'])
      assert.equal(again.headers.get(name), headers.get(name), name)
  }
  for (const field of ['"other"', '""', etag.slice(1, -1), `"x${etag.slice(1)}`])
    assert.equal((await ask('/api-docs', { 'If-None-Match': field })).status, 200, field)
})

test('a document that changes with time is new, with another ETag, at that time, also for who has read it before', async () => {
  let now = Date.parse('2027-06-30T23:59:59Z')
  const removal = { LEGACY_SUNSET_ANNOUNCED_AT: '2026-06-01T00:00:00Z', LEGACY_SUNSET_AT: '2027-07-01T00:00:00Z' }
  const dates = { LEGACY_DEPRECATED_AT: '2026-01-01T00:00:00Z', ...removal }
  await using later = await startService(dates, { now: () => now })
  const read = (path: string, etag = '') => get(later.url + path, { 'If-None-Match': etag })
  const planned = /announced on June 1, 2026 and is scheduled for July 1, 2027/
  for (const [path, before, after] of [
    ['/api-docs', planned, /was removed on July 1, 2027.*version_removed/s],
    ['/.well-known/security.txt', /^Expires: 2028-06-01/m, /^Expires: 2028-07-01/m],
  ] as const) {
    now = Date.parse('2027-06-30T23:59:59Z')
    const { headers, text } = await read(path)
    assert.match(text, before)
    assert.equal((await read(path, headers.get('etag') ?? '')).status, 304)
    now += 1_000
    assert.match((await read(path, headers.get('etag') ?? '')).text, after)
  }
})

test('a page links to the catalog, the API description, llms.txt and its Markdown, which names the page', async () => {
  for (const path of pages) {
    const { refs } = LinkHeader.parse((await ask(path)).headers.get('link') ?? '')
    const links = refs.map(({ rel, uri, type }) => `${rel} ${String(uri).slice(origin.length)} ${type}`)
    assert.deepEqual(links, [
      'api-catalog /.well-known/api-catalog undefined',
      'service-desc /openapi.json application/json',
      'service-meta /llms.txt text/plain',
      `alternate ${path}.md text/markdown`,
    ])
    const { headers, text } = await ask(`${path}.md`)
    assert.match(text, /^# /)
    assert.equal(LinkHeader.parse(headers.get('link') ?? '').rel('canonical')[0]?.uri, origin + path)
  }
})

test('/ redirects browsers to the overview and others to llms.txt, on the configured origin, and links to the catalog', async () => {
  for (const [accept, target] of [
    ['application/xhtml+xml,TEXT/HTML;q=0.8', '/developers'],
    ['*/*', '/llms.txt'],
  ] as const) {
    const fields = { Host: 'evil.example', 'If-None-Match': '*', Accept: accept }
    const { status, headers } = await ask('/', fields, accept === '*/*' ? 'HEAD' : 'GET')
    assert.deepEqual([status, headers.get('location'), headers.get('vary')], [302, origin + target, 'Accept'], accept)
    assert.match(headers.get('link') ?? '', /rel="api-catalog"/)
    assert.match(headers.get('link') ?? '', /llms\.txt>; rel="service-meta"/)
  }
})

test('a reader gets gzip if Accept-Encoding prefers it, and plain text otherwise', async () => {
  const zipped = ['GZIP', 'br;q=1.0, gzip;q=0.5', '*']
  const plain = ['', 'gzip;q=0, *', 'identity;q=1, gzip;q=0.5', 'identity;q=0', 'gzip;q=nonsense']
  for (const field of [...zipped, ...plain, `gzip${', a'.repeat(200)}`]) {
    const { headers } = await ask('/llms.txt', { 'Accept-Encoding': field })
    assert.equal(headers.get('content-encoding'), zipped.includes(field) ? 'gzip' : null, field)
  }
})

test('a path with a slash at its end redirects to the path without it', async () => {
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await ask('/api-docs/', { Host: 'evil.example' }, method)
    assert.deepEqual([status, headers.get('location')], [308, `${origin}/api-docs`])
  }
  assertProblem(await get(`${service.url}/api-docs/`, {}, 'POST'), 404, 'not_found')
})
