import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { faultCodes } from '../../src/lead/fault-table.ts'
import { kindField, leadMessages } from '../../src/lead/rules.ts'
import { consentRule } from '../../src/lead/wording.ts'
import { problemCodes, problemTable } from '../../src/problem/table.ts'
import { createContext, documentsOf } from './context.ts'

// The documents are rendered from shared tables. These tests parse the rendered texts independently, so that no code,
// field, header or limit can be in one document and missing in another.

const document = documentsOf()
const openapi = JSON.parse(document('/openapi.json').body)
/** The alias can send `Sunset` only when its removal is scheduled. */
const withRemoval = JSON.parse(
  documentsOf({
    legacy: {
      deprecatedAt: new Date('2026-01-01T00:00:00Z'),
      sunset: { announcedAt: new Date('2027-01-01T00:00:00Z'), at: new Date('2028-01-01T00:00:00Z') },
    },
  })('/openapi.json').body,
)
const docs = document('/api-docs').markdown
const docsHtml = document('/api-docs').body
const llms = document('/llms.txt').body
const index = document('/problems').markdown

const sorted = (names: Iterable<string>) => [...new Set(names)].sort()
const matches = (text: string, pattern: RegExp) => sorted(Array.from(text.matchAll(pattern), (match) => match[1] ?? ''))
/** The part of a Markdown text below a heading, including nested headings. */
function below(text: string, heading: string): string {
  const start = text.indexOf(`\n${heading}\n`)
  assert(start >= 0, heading)
  const level = heading.indexOf(' ')
  const rest = text.slice(start + heading.length + 2)
  const end = rest.search(new RegExp(`^#{1,${level}} `, 'm'))
  return end < 0 ? rest : rest.slice(0, end)
}
/** The part of llms.txt from a line's beginning to the next paragraph that is not a list. */
function llmsPart(beginning: string): string {
  const start = llms.indexOf(`\n${beginning}`)
  assert(start >= 0, beginning)
  return llms.slice(start).split('\n\n').slice(0, 2).join('\n\n')
}

suite('the documents agree', () => {
  test('on every problem code and its status', () => {
    const expected = sorted(problemCodes)
    assert.deepEqual(sorted(openapi.components.schemas.Problem.properties.code['x-extensible-enum']), expected)
    assert.deepEqual(sorted(Object.keys(openapi.components.examples)), expected)
    assert.deepEqual(matches(below(docs, '### Problem codes'), /^\| \[`(\w+)`\]/gm), expected)
    assert.deepEqual(matches(index, /^\| \[`(\w+)`\]/gm), expected)
    assert.deepEqual(matches(llmsPart('Every error is').replace(/^[^\0]*?\n\n/, ''), /`(\w+)`/g), expected)
    for (const code of problemCodes) {
      const { status, retryable } = problemTable[code]
      assert(docs.includes(`/problems/${code}) | ${status} | ${retryable ? 'yes' : 'no'} |`), code)
      assert.match(llms, new RegExp(`^- ${status}${retryable ? ' \\(retry later\\)' : ''}: .*\`${code}\``, 'm'))
      assert.equal(openapi.components.examples[code].value.status, status)
      assert.match(document(`/problems/${code}`).body, new RegExp(`<code>${code}</code>[\\s\\S]*>${status} `))
    }
  })

  test('that every problem is an answer of some operation', () => {
    const text = JSON.stringify(openapi.paths) + JSON.stringify(openapi.components.responses)
    for (const code of problemCodes) assert(text.includes(`#/components/examples/${code}"`), code)
  })

  test('on every fault code', () => {
    const expected = sorted(faultCodes)
    assert.deepEqual(sorted(openapi.components.schemas.FieldViolation.properties.code['x-extensible-enum']), expected)
    assert.deepEqual(matches(below(docs, '### Field codes'), /^\| `(\w+)` \|/gm), expected)
    assert.deepEqual(matches(llmsPart('Codes inside').split(': ')[1] ?? '', /`(\w+)`/g), expected)
  })

  for (const [kind, heading, part] of [
    ['quote', '### Quote request', 'Fields of a quote request'],
    ['support', '### Contact message', 'Fields of a contact message'],
  ] as const) {
    test(`on the fields of ${part.slice(10)}, and on which are required`, () => {
      const fields = leadMessages[kind].fields.map(({ jsonName }) => jsonName)
      const expected = sorted([kindField, ...fields])
      const schema = openapi.components.schemas[leadMessages[kind].name]
      assert.deepEqual(sorted(Object.keys(schema.properties)), expected)
      assert.equal(schema.additionalProperties, false)
      const required = /^- `(\w+)`[^:\n]*\brequired\b/gm
      const entries = below(docs, heading)
        .split('\n\n')
        .filter((block) => block.startsWith('- `'))
        .join('\n')
      assert.deepEqual(matches(entries, /^- `(\w+)`/gm), expected)
      assert.deepEqual(matches(entries, required), sorted(schema.required))
      assert.deepEqual(matches(llmsPart(part), /^- `(\w+)`/gm), expected)
      const selected = kind === 'support' ? [kindField] : []
      assert.deepEqual(
        sorted([...matches(llmsPart(part), /^- `(\w+)` \(\w+, required\)/gm), ...selected]),
        sorted(schema.required),
      )
      for (const name of fields) assert(docsHtml.includes(`id="${kind}-${name}"`), name)
    })
  }

  test('on every header', () => {
    const sent = matches(below(docs, '### Headers that you get'), /^- `([\w-]+)`/gm)
    const given = matches(below(docs, '### Headers that you send'), /^- `([\w-]+)`/gm)
    const named = Object.keys(withRemoval.components.headers)
    // OpenAPI leaves out what is for browsers.
    assert.deepEqual(sorted([...named, 'Access-Control-Allow-Origin']), sent)
    const parameters = openapi.paths['/api/v1/leads'].post.parameters.map(({ name }: { name: string }) => name)
    // OpenAPI describes Content-Type by the content of the body.
    assert.deepEqual(given, sorted(['Content-Type', ...parameters]))
  })

  test('on every limit, including configured ones', () => {
    const changes = { ratePolicy: { limit: 25, windowSeconds: 90 }, duplicateWindowHours: 48 }
    const other = documentsOf(changes)
    const texts = {
      docs: other('/api-docs').markdown.replaceAll('\\', ''),
      llms: other('/llms.txt').body,
    }
    for (const [name, value] of [
      ['Request body', '20,000 bytes'],
      ['Request rate', '25 submissions per 90 seconds'],
      ['Idempotency-Key', '255 characters'],
      ['Idempotency-Key retention', '48 hours'],
      ['Duplicate window', '48 hours'],
      ['Notice before a removal', '365 days'],
    ] as const) {
      assert(texts.docs.includes(`| ${name} | ${value} |`), name)
      assert(texts.llms.includes(`- ${name}: ${value}.`), name)
    }
    const api = JSON.parse(other('/openapi.json').body)
    const text = JSON.stringify(api)
    for (const value of ['20,000 bytes', '25 submissions per 90 seconds', '48 hours', '255 characters', '365 days'])
      assert(text.includes(value), value)
    assert.equal(api.components.headers['RateLimit-Policy'].example, '25;w=90')
  })

  test('on the consent wording and its version', () => {
    const { wording, statement } = createContext().consent
    const { description } = openapi.components.schemas.QuoteRequest.properties.communicationsConsent
    const terms = document('/terms').markdown.replaceAll('\\', '')
    for (const body of [description, llms, terms, docs.replaceAll('\\', '')])
      for (const text of [consentRule, wording.text, statement.text]) assert(body.includes(text), text)
    for (const body of [description, llms, terms]) assert(body.includes(wording.version))
    const form = document('/website-form.html').body
    assert(form.includes(`data-consent-wording="${wording.version}">${wording.text}</label>`))
    assert(terms.includes(wording.sha256))
    assert(document('/privacy').body.includes(`<code>${wording.version}</code>`))
  })
})
