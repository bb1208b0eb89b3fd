import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consentRule } from '../../src/consent/wording.ts'
import { baseUrl, createContext, documentsOf } from './context.ts'

const find = documentsOf()
const { components, info, paths } = JSON.parse(find('/openapi.json').body)

test('llms.txt and the other descriptions are short', () => {
  const fields = Object.keys(components.schemas.Lead.properties).length
  const lengths = {
    '/llms.txt': 4_150 + 150 * fields,
    '/developers.md': 16_000,
    '/api-docs.md': 15_250 + 150 * fields,
    '/openapi.json': 21_840 + 320 * fields,
  }
  for (const [path, length] of Object.entries(lengths))
    assert(find(path).body.length < length, `${path}: ${find(path).body.length} characters`)
})

test('nothing is cut by importers: GPT Actions keep 300 characters of an operation, 700 of a field or parameter', () => {
  type Described = { description: string }
  const described = (values: object) => Object.entries<Described>(values as Record<string, Described>)
  for (const [path, operations] of Object.entries<object>(paths))
    for (const [, { description }] of described(operations)) assert(description.length <= 300, path)
  for (const [name, { description }] of described({ ...components.parameters, ...components.schemas.Lead.properties }))
    assert(description.length <= 700, `${name}: ${description.length}`)
})

test('every document that says how to submit has the rule about consent, and the wording in force with its version', () => {
  const { wording, statement } = createContext().consent
  const plain = (path: string) => find(path).body.replaceAll('\\', '')
  const { description } = components.schemas.Lead.properties.communicationsConsent
  assert.match(paths['/api/v1/leads'].post.description, /cancel, .* send nothing: give the customer \(202\) .* hello@/)
  for (const body of [description + info.description, plain('/llms.txt'), plain('/terms.md'), plain('/api-docs.md')])
    for (const text of [consentRule, wording.text, statement.text]) assert(body.includes(text), text)
  for (const body of [description, plain('/llms.txt'), plain('/terms.md')]) assert(body.includes(wording.version))
  assert(plain('/terms.md').includes(wording.sha256))
  assert(plain('/privacy').includes(`<code>${wording.version}</code>`))
  for (const text of [wording.text, wording.version])
    assert(find('/website-forms.js').body.includes(JSON.stringify(text)))
})

test('the documents show the limits of this deployment, and whether it takes test data', () => {
  const other = documentsOf({ ratePolicy: { limit: 25, windowSeconds: 90 }, duplicateWindowHours: 48 })
  for (const path of ['/api-docs.md', '/llms.txt', '/openapi.json'])
    for (const value of ['25 submissions per 90 seconds', '48 hours'])
      assert(other(path).body.replaceAll('\\', '').includes(value), `${path}: ${value}`)
  for (const path of ['/llms.txt', '/openapi.json', '/api-docs'])
    assert.doesNotMatch(documentsOf({ duplicateWindowHours: 0 })(path).body, /\b0 hours/)
  for (const path of ['/llms.txt', '/developers.md', '/api-docs.md'])
    assert.doesNotMatch(documentsOf({ acceptTestLeads: true })(path).body, /Send no test data\.|test data is refused/)
  assert.match(find('/llms.txt').body, /Send no test data\./)
})

test('no document for programs names anything internal', () => {
  for (const path of ['/.well-known/api-catalog', '/openapi.json', '/llms.txt'])
    assert.doesNotMatch(find(path).body, /leadintake\.v1|grpc|inbox|metrics|livez|readyz|:9090|:9100/i)
})

test('security.txt has a contact, and expires in the future, at most a year ahead (RFC 9116)', () => {
  for (const now of ['2027-01-01T00:00:00Z', '2028-02-29T23:59:59Z']) {
    const nowMs = Date.parse(now)
    const { body } = documentsOf({ now: () => nowMs })('/.well-known/security.txt')
    assert.match(body, /^Contact: mailto:hello@brighthome\.example$/m)
    assert(body.includes(`\nCanonical: ${baseUrl}/.well-known/security.txt\n`))
    const [[, text = ''] = [], ...more] = body.matchAll(/^Expires: (.*)$/gm)
    const expires = Date.parse(text)
    const days = (expires - nowMs) / 86_400_000
    assert(days > 300 && days <= 366 && more.length === 0, now)
  }
})
