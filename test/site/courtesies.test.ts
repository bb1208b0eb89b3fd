import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { baseUrl, documentsOf } from './context.ts'

const dayMs = 86_400_000

suite('small files', () => {
  test('security.txt has a contact, and expires in the future, at most a year ahead (RFC 9116)', async () => {
    for (const now of [
      '2026-11-21T09:30:00Z',
      '2027-01-01T00:00:00Z',
      '2028-02-29T23:59:59Z',
      '2026-12-31T23:59:59Z',
    ]) {
      const nowMs = Date.parse(now)
      const { body, contentType } = (await documentsOf({ now: () => nowMs }))('/.well-known/security.txt')
      assert.equal(contentType, 'text/plain; charset=utf-8')
      const fields = body
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/: (.*)/, 2) as [string, string])
      const all = (name: string) => fields.filter(([field]) => field === name).map(([, value]) => value)
      assert.deepEqual(all('Contact'), ['mailto:hello@brighthome.example'])
      assert.equal(all('Expires').length, 1)
      const expires = Date.parse(all('Expires')[0] ?? '')
      assert(expires > nowMs + 300 * dayMs && expires <= nowMs + 366 * dayMs, now)
      assert.deepEqual(all('Canonical'), [`${baseUrl}/.well-known/security.txt`])
    }
  })

  test('robots.txt allows everything', async () => {
    assert.match((await documentsOf())('/robots.txt').body, /^User-agent: \*\nAllow: \/$/m)
  })

  test('the icon is one SVG at both addresses', async () => {
    const find = await documentsOf()
    assert.equal(find('/favicon.ico').contentType, 'image/svg+xml')
    assert.equal(find('/favicon.ico').body, find('/favicon.svg').body)
  })

  test('/ redirects to the overview and links to the catalog', async () => {
    const { redirectTo, headers } = (await documentsOf())('/')
    assert.equal(redirectTo, `${baseUrl}/developers`)
    assert.match(headers?.Link ?? '', /<https:\/\/api\.example\.org\/\.well-known\/api-catalog>; rel="api-catalog"/)
  })
})
