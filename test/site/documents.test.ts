import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { checkLead } from '../../src/lead/check.ts'
import { LeadError } from '../../src/lead/error.ts'
import { contact, nowMs } from '../support/submissions.ts'
import { baseUrl, documentsOf } from './context.ts'

const find = documentsOf()
const { body } = find('/llms.txt')

suite('/llms.txt', () => {
  test('follows llmstxt.org: a title, a summary, prose without headings, then lists of links', () => {
    const outside = body.replace(/```[\s\S]*?```/g, '')
    const [title, summary, ...rest] = outside.split('\n\n')
    assert.match(title ?? '', /^# \S/)
    assert.match(summary ?? '', /^> \S/)
    const [prose = '', ...sections] = rest.join('\n\n').split(/^## /m)
    assert.doesNotMatch(prose, /^#/m)
    assert(sections.length >= 3)
    for (const section of sections) {
      const [name, ...lines] = section.trim().split('\n')
      assert(name)
      for (const line of lines.filter(Boolean)) assert.match(line, /^- \[[^\]]+\]\(https:\/\/[^)\s]+\)(: .+)?$/)
    }
  })

  test('says what an agent must know, and what to do in common situations', () => {
    for (const rule of [
      /explicitly asked/,
      /Send `true` only after their explicit yes/,
      /no test data/i,
      /no `Authorization`/,
      /20,000 bytes/,
      /10 submissions per minute/,
      /Retry-After/,
      /do not retry any other 4xx/i,
      /no status to poll/,
      /deprecated alias/,
      /another country code/,
      /a status question/,
      /an erasure, a correction or a withdrawal/,
      /canceling or changing a request/,
      /does not agree to the wording.*: submit nothing, not even a message/,
      /Send no test data\./,
      /studio: `bedrooms` is `"0"`/,
      /one lead each/,
      /"No further details"/,
      /payment data \(a card number is refused\), passwords, access codes/,
      /identical body again with the same key/,
      /say yes to you themselves \(a surprise for a neighbor\)/,
      /an adult customer/,
      /No price is given, and a receipt is not a booking/,
      /Keep the `id` for the customer/,
      /refused submission does not use up its key/,
      /translate the wording for the customer, with its whole meaning/,
      /2 if absent, as with `internal_error`/,
      /After three attempts, stop\. Tell the customer/,
      /a hosted agent shares it/,
      /`Authorization`, `Proxy-Authorization` or `X-API-Key` header: they are refused/,
    ])
      assert.match(body, rule)
  })

  test('is short, and lists control characters once', () => {
    assert(body.length < 9_000, `${body.length} characters`)
    assert.equal(body.split('U+202A').length, 2)
    assert.equal(body.split('U+E0000').length, 2)
  })

  test('has examples that nobody can submit by mistake, with the answer to a real lead', () => {
    const message = JSON.parse(/```json\n([\s\S]*?)```/.exec(body)?.[1] ?? '')
    assert.deepEqual(Object.keys(message).sort(), Object.keys(contact).sort())
    assert.throws(() => checkLead(message, { nowMs, acceptTestLeads: true }), LeadError)
    const [request = '', answer = ''] = Array.from(body.matchAll(/```http\n([\s\S]*?)```/g), (match) => match[1])
    assert.match(
      request,
      /^POST \/api\/v1\/leads HTTP\/1\.1\nHost: api\.example\.org\nContent-Type: application\/json\n/,
    )
    const lead = JSON.parse(request.slice(request.indexOf('\n\n')))
    assert.throws(() => checkLead(lead, { nowMs, acceptTestLeads: true }), LeadError)
    const real = {
      phone: '2025550123',
      email: 'pat@example.com',
      bedrooms: '3',
      bathrooms: '2',
      communicationsConsent: true,
    }
    assert.equal(checkLead({ ...lead, ...real }, { nowMs, acceptTestLeads: true }).kind, 'quote')
    assert.match(answer, /^HTTP\/1\.1 201 Created\n/)
    assert.deepEqual(Object.keys(JSON.parse(answer.slice(answer.indexOf('\n\n')))), ['id', 'formType', 'receivedAt'])
  })

  test('says what is true of a deployment that accepts test data', () => {
    const local = documentsOf({ acceptTestLeads: true })
    for (const path of ['/llms.txt', '/developers.md', '/api-docs.md']) {
      assert.match(local(path).body, /\b(takes|accepts|accepted).*(test data|by this deployment)/)
      assert.doesNotMatch(local(path).body, /Send no test data\.|test data is refused/)
    }
  })
})

type Target = Record<string, unknown> & { href: string }
type LinkContext = { anchor: string } & Record<string, Target[]>

suite('/.well-known/api-catalog', () => {
  const text = find('/.well-known/api-catalog').body
  const catalog: { linkset: LinkContext[] } = JSON.parse(text)

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

  test('contains nothing internal', () => {
    assert.doesNotMatch(text, /leadintake\.|grpc|connect|inbox|metrics|livez|:9090|:9100/i)
    assert.doesNotMatch(find('/openapi.json').body, /leadintake\.v1|grpc|inbox|livez|readyz|:9090|:9100/i)
  })
})

const dayMs = 86_400_000

test('security.txt has a contact, and expires in the future, at most a year ahead (RFC 9116)', async () => {
  for (const now of ['2026-11-21T09:30:00Z', '2027-01-01T00:00:00Z', '2028-02-29T23:59:59Z', '2026-12-31T23:59:59Z']) {
    const nowMs = Date.parse(now)
    const { body } = documentsOf({ now: () => nowMs })('/.well-known/security.txt')
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
