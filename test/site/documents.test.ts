import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { transformSync } from 'esbuild'
import { consentRule, createConsentTexts } from '../../src/consent/wording.ts'
import { leadRules } from '../../src/lead/rules.ts'
import { type Input, inputs, layouts } from '../../src/site/form/fields.ts'
import english from '../../src/site/form/texts.json' with { type: 'json' }
import { baseUrl, createContext, documentsOf } from './context.ts'

const find = documentsOf()
const { components, info, paths } = JSON.parse(find('/openapi.json').body)

test('llms.txt and the other descriptions are short', () => {
  const fields = Object.keys(components.schemas.Lead.properties).length
  const lengths = {
    '/llms.txt': 4_250 + 150 * fields,
    '/developers.md': 16_000,
    '/api-docs.md': 15_250 + 150 * fields,
    '/openapi.json': 22_000 + 330 * fields,
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

/** The texts of the Spanish sample, as the owner of a website copies them. */
function spanishTexts(changes: Parameters<typeof documentsOf>[0] = {}): Record<string, string> {
  const { markdown } = documentsOf(changes)('/website-forms')
  const json = /texts='(\{[^']*\})'/.exec(markdown)?.[1]
  assert(json, 'no apostrophe ends the attribute early')
  return JSON.parse(json)
}

const placeholdersOf = (text: string) => (text.match(/%\w+%/g) ?? []).sort()

suite('the script of the website forms', () => {
  test('has an input for every field that a customer fills in, with its length', () => {
    for (const kind of ['quote', 'support'] as const) {
      const others = ['formType', 'consentTimestamp', 'pageUrl']
      const rules = leadRules[kind].filter(({ name, announced }) => announced && !others.includes(name))
      assert.deepEqual(layouts[kind].flat().sort(), rules.map(({ name }) => name).sort())
      // The length of the others is a matter of their form, and the service says so.
      for (const { name, maxLength } of rules) {
        const input: Input = inputs[name as keyof typeof inputs]
        if (input.maxLength !== undefined) assert.equal(input.maxLength, maxLength, name)
      }
    }
  })

  test('has less than 9 kB, never writes HTML, and runs in Safari 15: no newer syntax, and no newer function', () => {
    const { body } = documentsOf()('/website-forms.js')
    assert(gzipSync(body).length < 9_000, `${gzipSync(body).length}`)
    assert.doesNotMatch(body, /innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/)
    const written = (target: string) => transformSync(body, { target, charset: 'utf8' }).code
    assert.equal(written('safari15'), written('esnext'))
    assert.doesNotMatch(body, /AbortSignal\.(timeout|any)|\.at\(|hasOwn\b|structuredClone|findLast|color-mix|:has\(/)
  })

  test('is whole, even if the name of the business has a tag that ends scripts', () => {
    const business = { ...createContext().business, name: `"Joe's" </script> \`\${x}\` \u2028 {{y}} & Sons` }
    const consent = createConsentTexts(business)
    const { body } = documentsOf({ business, consent })('/website-forms.js')
    // The bundle is called with the values.
    const values = new Function(body.replace(/^\(deployment=>\{[\s\S]*\}\)\(/, 'return ('))()
    assert.equal(values.wording, consent.wording.text.replace(/\s+/g, ' '))
    assert(spanishTexts({ business, consent }).consent?.includes(`"Joe's" </script>`))
  })

  test('speaks Spanish in a sample that translates every text, with its placeholders', () => {
    const { consent, 'consent-version': version, ...texts } = spanishTexts()
    assert.deepEqual(Object.keys(texts), Object.keys(english))
    for (const [name, text] of Object.entries<string>(english))
      assert.deepEqual(placeholdersOf(texts[name] ?? ''), placeholdersOf(text), name)
    assert.equal(version, createContext().consent.wording.version)
    assert(consent?.includes('Bright Home Cleaning') && consent.includes('(202) 555-0100'))
    const { business } = createContext()
    // The wording that it translates. With it, change src/site/content/samples/lead-form-es.html.
    assert.equal(
      createConsentTexts({ ...business, name: 'NAME', phone: 'PHONE' }).wording.text,
      'I ask NAME to contact me by phone, text message or e-mail about this request, at the phone number and e-mail address I give here. This is not a condition of any purchase. I can stop it at any time and in any reasonable way, such as replying STOP or calling PHONE.',
    )
    const own = createConsentTexts(business, 'Write to me.')
    assert.equal(spanishTexts({ consent: own }).consent, undefined, "no one has translated the business's own wording")
  })
})
