import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { baseUrl, documentsOf } from './context.ts'

type Target = Record<string, unknown> & { href: string }
type LinkContext = { anchor: string } & Record<string, Target[]>

const { contentType, body, headers, readableAnywhere } = (await documentsOf())('/.well-known/api-catalog')
const catalog: { linkset: LinkContext[] } = JSON.parse(body)

suite('/.well-known/api-catalog', () => {
  test('has the media type of a linkset with the profile of RFC 9727, and no charset', () => {
    assert.equal(contentType, 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"')
    assert.equal(headers?.Link, `<${baseUrl}/.well-known/api-catalog>; rel="api-catalog"`)
    assert.equal(readableAnywhere, true)
  })

  test('is one linkset of contexts whose relations are lists of targets (RFC 9264 §4.2)', () => {
    assert.deepEqual(Object.keys(catalog), ['linkset'])
    for (const { anchor, ...relations } of catalog.linkset) {
      assert.equal(new URL(anchor).origin, baseUrl)
      assert(Object.keys(relations).length > 0)
      for (const targets of Object.values(relations)) {
        assert(Array.isArray(targets) && targets.length > 0)
        for (const { href, type, title, hreflang, ...others } of targets) {
          assert.equal(new URL(href).origin, baseUrl)
          assert.equal(typeof type, 'string')
          assert.equal(typeof title, 'string')
          if (hreflang !== undefined) assert.deepEqual(hreflang, ['en'])
          assert.deepEqual(others, {})
        }
      }
    }
  })

  test('lists itself first, then the API with its description, documentation and policies', () => {
    const [first, second] = catalog.linkset
    assert.equal(first?.anchor, `${baseUrl}/.well-known/api-catalog`)
    assert.equal(first?.item?.[0]?.href, `${baseUrl}/api/v1`)
    assert.equal(second?.anchor, `${baseUrl}/api/v1`)
    for (const [relation, path] of [
      ['service-desc', '/openapi.json'],
      ['service-doc', '/api-docs'],
      ['service-meta', '/llms.txt'],
      ['status', '/api/v1'],
      ['terms-of-service', '/terms'],
      ['privacy-policy', '/privacy'],
    ] as const)
      assert.equal(second?.[relation]?.[0]?.href, baseUrl + path)
  })

  test('contains nothing internal', async () => {
    assert.doesNotMatch(body, /leadintake\.|grpc|connect|inbox|metrics|livez|:9090|:9100/i)
    assert.doesNotMatch(
      (await documentsOf())('/openapi.json').body,
      /leadintake\.v1|grpc|inbox|livez|readyz|:9090|:9100/i,
    )
  })
})
