import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import LinkHeader from 'http-link-header'
import { assertProblem, get } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService({ BASE_URL: 'https://leads.example.org' })
})
after(() => service.stop())

const paths = [
  '/.well-known/api-catalog',
  '/openapi.json',
  '/llms.txt',
  '/api-docs',
  '/developers',
  '/terms',
  '/privacy',
  '/problems',
  '/problems/validation_failed',
  '/.well-known/security.txt',
  '/robots.txt',
  '/website-form.html',
  '/favicon.ico',
  '/favicon.svg',
  '/site.css',
]
const machineReadable = [
  '/.well-known/api-catalog',
  '/openapi.json',
  '/llms.txt',
  '/.well-known/security.txt',
  '/robots.txt',
  '/website-form.html',
]
const isPage = (path: string) => /^\/(api-docs|developers|terms|privacy|problems(\/\w+)?)$/.test(path)

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
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers as Plain['headers'],
          content: Buffer.concat(chunks),
        }),
      )
    })
    call.on('error', reject).end()
  })
}

suite('every document', () => {
  for (const path of paths) {
    test(`${path} has a strong ETag, may be cached for an hour, and answers 304 to a current copy`, async () => {
      const { status, headers, content } = await ask(path, { Origin: 'https://elsewhere.example' })
      assert.equal(status, 200)
      const open = machineReadable.includes(path)
      assert.equal(headers['access-control-allow-origin'], open ? '*' : undefined)
      assert.equal(headers['cross-origin-resource-policy'], open ? 'cross-origin' : 'same-origin')
      assert.match(headers.etag ?? '', /^"[^"]+"$/)
      assert.equal(headers['cache-control'], 'public, max-age=3600')
      assert.equal(headers['content-length'], String(content.length))
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['referrer-policy'], 'no-referrer')
      assert.match(headers['content-security-policy'] ?? '', /^default-src 'none';/)
      assert.doesNotMatch(headers['content-security-policy'] ?? '', /unsafe/)
      assert.equal(headers['strict-transport-security'], 'max-age=31536000; includeSubDomains')
      assert.equal(headers['ratelimit-limit'], undefined)
      const etag = headers.etag as string
      for (const field of [etag, `W/${etag}`, `"other", ${etag}`, `"other" , W/${etag},"more"`, '*', ` ${etag} `]) {
        const again = await ask(path, { 'If-None-Match': field })
        assert.equal(again.status, 304, field)
        assert.equal(again.content.length, 0)
        assert.equal(again.headers['content-type'], undefined)
        for (const name of ['etag', 'cache-control', 'vary', 'access-control-allow-origin', 'link'])
          assert.equal(again.headers[name], headers[name], name)
      }
      for (const field of ['"other"', '""', etag.slice(1, -1), `"x${etag.slice(1)}`])
        assert.equal((await ask(path, { 'If-None-Match': field })).status, 200, field)
    })

    test(`${path} answers HEAD with the headers of GET and no content`, async () => {
      const variants: Record<string, string>[] = [{}, { 'Accept-Encoding': 'gzip' }]
      for (const fields of variants) {
        const got = await ask(path, fields)
        const head = await ask(path, fields, 'HEAD')
        assert.equal(head.status, 200)
        assert.equal(head.content.length, 0)
        const { date: _, 'x-request-id': __, ...rest } = head.headers
        const { date: ___, 'x-request-id': ____, ...expected } = got.headers
        assert.deepEqual(rest, expected)
      }
      assert.equal((await ask(path, { 'If-None-Match': '*' }, 'HEAD')).status, 304)
    })

    test(`${path} is compressed on request, with a different ETag for each coding`, async () => {
      const { content, headers } = await ask(path)
      const gzip = await ask(path, { 'Accept-Encoding': 'deflate, gzip, br' })
      assert.equal(gzip.headers['content-encoding'], 'gzip')
      assert.equal(headers['content-encoding'], undefined)
      assert(gunzipSync(gzip.content).equals(content))
      for (const answer of [gzip, { headers }]) assert.equal(answer.headers.vary, 'Accept-Encoding')
      const compressed = { 'Accept-Encoding': 'gzip' }
      assert.equal((await ask(path, { ...compressed, 'If-None-Match': gzip.headers.etag ?? '' })).status, 304)
      assert.equal((await ask(path, { ...compressed, 'If-None-Match': headers.etag ?? '' })).status, 200)
      if (content.length > 2_000) assert(gzip.content.length < content.length / 2)
    })
  }
})

suite('pages', () => {
  test('have the required CSP, which allows only the style sheet, the script and the icon', async () => {
    for (const path of paths.filter(isPage))
      assert.equal(
        (await ask(path)).headers['content-security-policy'],
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
  })

  test('are HTML at their path, whatever is accepted', async () => {
    for (const path of paths.filter(isPage)) {
      const { headers } = await ask(path, { Accept: 'text/markdown' })
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(headers['content-language'], 'en')
    }
  })

  test('are available as Markdown at their path plus .md, to every origin, with the same words', async () => {
    for (const path of paths.filter(isPage)) {
      const { status, headers, content } = await ask(`${path}.md`)
      assert.equal(status, 200)
      assert.equal(headers['content-type'], 'text/markdown; charset=utf-8')
      assert.equal(headers['access-control-allow-origin'], '*')
      assert.match(content.toString(), /^# /)
      assert.equal(LinkHeader.parse(headers.link ?? '').rel('canonical')[0]?.uri, `https://leads.example.org${path}`)
    }
  })

  test('link to the catalog, the API description, llms.txt and their Markdown', async () => {
    const links = LinkHeader.parse((await ask('/developers')).headers.link ?? '')
    assert.equal(links.rel('api-catalog')[0]?.uri, 'https://leads.example.org/.well-known/api-catalog')
    assert.equal(links.rel('service-desc')[0]?.uri, 'https://leads.example.org/openapi.json')
    assert.equal(links.rel('service-meta')[0]?.uri, 'https://leads.example.org/llms.txt')
    assert.equal(links.rel('alternate')[0]?.type, 'text/markdown')
    assert.equal(links.rel('alternate')[0]?.uri, 'https://leads.example.org/developers.md')
  })
})

suite('the media types', () => {
  for (const [path, type] of [
    ['/.well-known/api-catalog', 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'],
    ['/openapi.json', 'application/json; charset=utf-8'],
    ['/llms.txt', 'text/plain; charset=utf-8'],
    ['/.well-known/security.txt', 'text/plain; charset=utf-8'],
    ['/site.css', 'text/css; charset=utf-8'],
    ['/favicon.svg', 'image/svg+xml'],
  ] as const) {
    test(`of ${path} is ${type}, whatever Accept says`, async () => {
      for (const accept of ['*/*', 'application/json', 'text/html', 'image/png'])
        assert.equal((await ask(path, { Accept: accept })).headers['content-type'], type)
    })
  }
})

suite('/', () => {
  test('redirects to the overview on the configured origin, and links to the catalog', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await ask('/', { Host: 'evil.example', 'If-None-Match': '*' }, method)
      assert.equal(status, 302)
      assert.equal(headers.location, 'https://leads.example.org/developers')
      assert.match(headers.link ?? '', /rel="api-catalog"/)
      assert.match(headers.link ?? '', /llms\.txt>; rel="service-meta"/)
    }
  })
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

suite('a slash at the end', () => {
  for (const path of ['/api-docs', '/problems/not_found', '/.well-known/api-catalog', '/api/v1']) {
    test(`of ${path}/ redirects to the path without`, async () => {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await ask(`${path}/`, { Host: 'evil.example' }, method)
        assert.deepEqual([status, headers.location], [308, `https://leads.example.org${path}`])
      }
      assertProblem(await get(`${service.url}${path}/`, {}, 'POST'), 404, 'not_found')
    })
  }
})
