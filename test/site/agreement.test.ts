import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { kindField, leadMessages } from '../../src/lead/rules.ts'
import { consentRule } from '../../src/lead/wording.ts'
import { problemCodes, problemTable } from '../../src/problem/table.ts'
import { faultCodes } from '../../src/words/faults.ts'
import { createContext, documentsOf } from './context.ts'

// No code, field, header, limit or rule is in one document and missing in another. The texts are parsed here, apart from
// the code that makes them.

const document = documentsOf()
const openapi = JSON.parse(document('/openapi.json').body)
const docs = document('/api-docs').markdown
const llms = document('/llms.txt').body

const sorted = (names: Iterable<string>) => [...new Set(names)].sort()
const matches = (text: string, pattern: RegExp) => sorted(Array.from(text.matchAll(pattern), (match) => match[1] ?? ''))
/** The part of a text after its only line with this beginning, up to the next part. */
function below(text: string, beginning: string): string {
  const [, part, ...more] = text.split(`\n${beginning}`)
  assert(part !== undefined && more.length === 0, beginning)
  return part.split(/\n(?:#|[A-Z].*:\n)/, 1)[0] ?? ''
}

suite('the documents agree', () => {
  test('on every problem code, its status and its page', () => {
    const expected = sorted(problemCodes)
    const rows = /^\| \[?`(\w+)`\]?[^|]* \| \d/gm
    assert.deepEqual(sorted(openapi.components.schemas.Problem.properties.code['x-extensible-enum']), expected)
    assert.deepEqual(matches(below(docs, '### Problem codes'), rows), expected)
    assert.deepEqual(matches(document('/problems').markdown, rows), expected)
    const answers = JSON.stringify([openapi.paths, openapi.components.responses])
    for (const code of problemCodes) {
      const { status, retryable } = problemTable[code]
      assert(docs.includes(`\n| \`${code}\` | ${status} |`), code)
      assert(answers.includes(`\`${code}\``), `${code} is an answer of some operation`)
      const page = document(`/problems/${code}`).markdown
      assert(page.includes(`\n| Code | \`${code}\` |\n| Status | ${status} `), code)
      const example = JSON.parse(/^```http Answer\n[\s\S]*?\n\n([\s\S]*?)^```/m.exec(page)?.[1] ?? '')
      assert.partialDeepStrictEqual(example, { status, code, retryable })
      assert.equal(status === 429 || status === 503, /^Retry-After: \d+$/m.test(page), code)
    }
  })

  test('on every fault code', () => {
    const expected = sorted(faultCodes)
    assert.deepEqual(sorted(openapi.components.schemas.FieldViolation.properties.code['x-extensible-enum']), expected)
    assert.deepEqual(matches(below(docs, '### Field codes').split('\n\n')[1] ?? '', /`(\w+)`/g), expected)
  })

  test('on the fields of each kind, and on which are required', () => {
    for (const [kind, branch, heading, part] of [
      ['quote', 'else', '### Quote request', 'Fields of a quote request'],
      ['support', 'then', '### Contact message', 'Fields of a contact message'],
    ] as const) {
      const expected = sorted([kindField, ...leadMessages[kind].fields.map(({ jsonName }) => jsonName)])
      const { required, [branch]: own } = openapi.components.schemas.Lead
      assert.deepEqual(sorted(own.propertyNames.enum), expected)
      const all = [...required, ...own.required, ...(kind === 'support' ? [kindField] : [])]
      // An agent has no page to name.
      const ofAgents = expected.filter((name) => name !== 'pageUrl')
      for (const [text, named] of [
        [below(docs, heading), expected],
        [below(llms, part), ofAgents],
      ] as const) {
        assert.deepEqual(matches(text, /^- `(\w+)` \(/gm), named)
        assert.deepEqual(matches(text, /^- `(\w+)` \(\w+, required\)/gm), sorted(all))
      }
    }
  })

  test('on every limit, including configured ones, and on none', () => {
    const other = documentsOf({ ratePolicy: { limit: 25, windowSeconds: 90 }, duplicateWindowHours: 48 })
    const text = other('/openapi.json').body
    for (const [name, value] of [
      ['Request body', '20,000 bytes'],
      ['Request rate', '25 submissions per 90 seconds'],
      ['Idempotency-Key', '255 characters'],
      ['Idempotency-Key retention', '48 hours'],
      ['Duplicate window', '48 hours'],
      ['Notice before a removal', '365 days'],
    ] as const) {
      assert(other('/api-docs').markdown.replaceAll('\\', '').includes(`| ${name} | ${value} |`), name)
      assert(other('/llms.txt').body.includes(`- ${name}: ${value}.`), name)
      assert(text.includes(value), value)
    }
    assert.equal(JSON.parse(text).components.headers['RateLimit-Policy'].example, '25;w=90')
    const none = documentsOf({ duplicateWindowHours: 0 })
    for (const path of ['/llms.txt', '/openapi.json', '/api-docs']) assert.doesNotMatch(none(path).body, /\b0 hours/)
  })

  test('on the consent wording and its version', () => {
    const { wording, statement } = createContext().consent
    const { description } = openapi.components.schemas.Lead.properties.communicationsConsent
    const terms = document('/terms').markdown.replaceAll('\\', '')
    for (const body of [description + openapi.info.description, llms, terms, docs.replaceAll('\\', '')])
      for (const text of [consentRule, wording.text, statement.text]) assert(body.includes(text), text)
    for (const body of [description, llms, terms]) assert(body.includes(wording.version))
    for (const text of [consentRule, wording.text]) assert(description.includes(text), text)
    const forms = document('/website-forms.js').body
    for (const text of [wording.text, wording.version]) assert(forms.includes(JSON.stringify(text)))
    assert(terms.includes(wording.sha256))
    assert(document('/privacy').body.includes(`<code>${wording.version}</code>`))
  })

  test('on whether test data is accepted', () => {
    const local = documentsOf({ acceptTestLeads: true })
    for (const path of ['/llms.txt', '/developers.md', '/api-docs.md']) {
      assert.match(local(path).body, /\b(takes|accepts|accepted).*(test data|by this deployment)/)
      assert.doesNotMatch(local(path).body, /Send no test data\.|test data is refused/)
    }
    assert.match(llms, /Send no test data\./)
  })
})
