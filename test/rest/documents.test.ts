import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import LinkHeader from 'http-link-header'
import { assertProblem, get } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

const origin = 'https://leads.example.org'
let service: Service
before(async () => {
  service = await startService({ BASE_URL: origin })
})
after(() => service.stop())

const text = 'text/plain; charset=utf-8'
const pages = ['/api-docs', '/developers', '/website-forms', '/terms', '/privacy', '/problems', '/problems/not_found']
const own: [path: string, type: string][] = [
  ...pages.map((path): [string, string] => [path, 'text/html; charset=utf-8']),
  ['/favicon.ico', 'image/svg+xml'],
  ['/favicon.svg', 'image/svg+xml'],
  ['/site.css', 'text/css; charset=utf-8'],
]
/** The documents that scripts of every origin may read. */
const open: [path: string, type: string][] = [
  ...pages.map((path): [string, string] => [`${path}.md`, 'text/markdown; charset=utf-8']),
  ['/.well-known/api-catalog', 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'],
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/llms.txt', text],
  ['/.well-known/security.txt', text],
  ['/robots.txt', text],
  ['/website-form.html', text],
]

interface Plain {
  status: number
  headers: Record<string, string | undefined>
  content: Buffer
}

/** Not `fetch`, which decompresses, negotiates and follows redirects by itself. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Plain> {
  return new Promise((resolve, reject) => {
    const call = request(service.url + path, { method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('end', () => {
        const { statusCode: status = 0, headers } = answer
        resolve({ status, headers: headers as Plain['headers'], content: Buffer.concat(chunks) })
      })
    })
    call.on('error', reject).end()
  })
}

suite('every document', () => {
  for (const [path, type] of [...own, ...open]) {
    test(`${path} has its media type, a strong ETag, may be cached for an hour, and answers 304 to a current copy`, async () => {
      const { status, headers, content } = await ask(path, { Origin: 'https://elsewhere.example', Accept: 'image/png' })
      assert.equal(status, 200)
      const isOpen = open.some(([other]) => other === path)
      const page = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; "
      const policy = headers['content-security-policy'] ?? ''
      if (pages.includes(path)) assert.equal(policy, `${page}form-action 'none'; frame-ancestors 'none'`)
      else assert.match(policy, /^default-src 'none';((?!unsafe).)*$/)
      const expected = {
        'content-type': type,
        'access-control-allow-origin': isOpen ? '*' : undefined,
        'cross-origin-resource-policy': isOpen ? 'cross-origin' : 'same-origin',
        'cache-control': 'public, max-age=3600',
        'content-length': String(content.length),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
        'ratelimit-limit': undefined,
        'content-encoding': undefined,
        'content-language': /html|markdown/.test(type) ? 'en' : undefined,
        vary: 'Accept-Encoding',
      }
      for (const [name, value] of Object.entries(expected)) assert.equal(headers[name], value, name)
      const { etag = '' } = headers
      assert.match(etag, /^"[^"]+"$/)
      for (const field of [etag, `W/${etag}`, `"other", ${etag}`, `"other" , W/${etag},"more"`, '*', ` ${etag} `]) {
        const again = await ask(path, { 'If-None-Match': field })
        assert.deepEqual(
          [again.status, again.content.length, again.headers['content-type']],
          [304, 0, undefined],
          field,
        )
        for (const name of ['etag', 'cache-control', 'vary', 'link'])
          assert.equal(again.headers[name], headers[name], name)
      }
      for (const field of ['"other"', '""', etag.slice(1, -1), `"x${etag.slice(1)}`])
        assert.equal((await ask(path, { 'If-None-Match': field })).status, 200, field)
    })

    test(`${path} is compressed on request, with another ETag, and answers HEAD with the headers of GET`, async () => {
      const plain = await ask(path)
      const gzip = await ask(path, { 'Accept-Encoding': 'deflate, gzip, br' })
      assert.equal(gzip.headers['content-encoding'], 'gzip')
      assert.equal(gzip.headers.vary, 'Accept-Encoding')
      assert(gunzipSync(gzip.content).equals(plain.content))
      if (plain.content.length > 2_000) assert(gzip.content.length < plain.content.length / 2)
      for (const [got, coding] of [
        [plain, 'identity'],
        [gzip, 'gzip'],
      ] as const) {
        const head = await ask(path, { 'Accept-Encoding': coding }, 'HEAD')
        assert.deepEqual([head.status, head.content.length], [200, 0])
        const { date: _, 'x-request-id': __, ...rest } = head.headers
        assert.partialDeepStrictEqual(got.headers, rest)
        for (const [{ headers }, status] of [
          [got, 304],
          [got === plain ? gzip : plain, 200],
        ] as const) {
          const fields = { 'Accept-Encoding': coding, 'If-None-Match': headers.etag ?? '' }
          assert.equal((await ask(path, fields)).status, status)
        }
      }
    })
  }
})

test('a page links to the catalog, the API description, llms.txt and its Markdown, which names the page', async () => {
  for (const path of pages) {
    const links = LinkHeader.parse((await ask(path)).headers.link ?? '')
    for (const [rel, target] of [
      ['api-catalog', '/.well-known/api-catalog'],
      ['service-desc', '/openapi.json'],
      ['service-meta', '/llms.txt'],
      ['alternate', `${path}.md`],
    ] as const)
      assert.equal(links.rel(rel)[0]?.uri, origin + target)
    assert.equal(links.rel('alternate')[0]?.type, 'text/markdown')
    const { headers, content } = await ask(`${path}.md`)
    assert.match(content.toString(), /^# /)
    assert.equal(LinkHeader.parse(headers.link ?? '').rel('canonical')[0]?.uri, origin + path)
  }
})

test('/ redirects to the overview on the configured origin, and links to the catalog', async () => {
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await ask('/', { Host: 'evil.example', 'If-None-Match': '*' }, method)
    assert.deepEqual([status, headers.location], [302, `${origin}/developers`])
    assert.match(headers.link ?? '', /rel="api-catalog"/)
    assert.match(headers.link ?? '', /llms\.txt>; rel="service-meta"/)
  }
})

test('Accept-Encoding is weighed, and what it does not understand is sent plain', async () => {
  for (const [field, coding] of [
    ['', undefined],
    ['br', undefined],
    ['GZIP', 'gzip'],
    ['br;q=1.0, gzip;q=0.5', 'gzip'],
    ['*', 'gzip'],
    ['*;q=0', undefined],
    ['gzip;q=0, *', undefined],
    ['identity;q=1, gzip;q=0.5', undefined],
    ['identity;q=0', undefined],
    ['gzip;q=nonsense', undefined],
    [`gzip${', a'.repeat(200)}`, undefined],
  ] as const) {
    const { headers } = await ask('/llms.txt', { 'Accept-Encoding': field })
    assert.equal(headers['content-encoding'], coding, field)
  }
})

test('a slash at the end of a path redirects to the path without', async () => {
  for (const path of ['/api-docs', '/problems/not_found', '/.well-known/api-catalog', '/api/v1']) {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await ask(`${path}/`, { Host: 'evil.example' }, method)
      assert.deepEqual([status, headers.location], [308, origin + path])
    }
    assertProblem(await get(`${service.url}${path}/`, {}, 'POST'), 404, 'not_found')
  }
})
