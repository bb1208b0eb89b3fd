import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createConsentTexts } from '../../src/consent/wording.ts'
import type { DiscoveryContext } from '../../src/site/values.ts'
import { createContext, documentsOf, renderDocuments } from './context.ts'

const isPage = (document: { contentType: string }) => document.contentType.startsWith('text/html')
const pages = renderDocuments().filter(isPage)
const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
const textOf = (body: string) =>
  body.replace(/<[^>]*>/g, '').replace(/&([#\w]+);/g, (whole, name: string) => entities[name] ?? whole)

const own = createConsentTexts({ ...createContext().business, name: 'A' }, 'Write to me.\n\nI can withdraw this.')
const main = (body: string) => body.slice(body.indexOf('<main'), body.indexOf('</main>'))

test('every page is complete, and has the same content in Markdown', () => {
  const folded = (text: string) => text.replace(/\s+/g, ' ').trim()
  for (const { path, body, markdown } of pages) {
    assert.match(body, /<title>[^<]+ – Bright Home Cleaning<\/title>/, path)
    assert.match(body, /<meta name="description" content="[^"]{20,}">/, path)
    assert.doesNotMatch(textOf(body), /undefined|\[object|NaN|\{\{|\}\}/, path)
    assert.match(markdown, /^# /, path)
    assert.doesNotMatch(markdown, /undefined|\[object|NaN|\{\{|\}\}|\]\(\//, path)
    for (const [, listing] of body.matchAll(/<pre[^>]*>([\s\S]*?)<\/pre>/g))
      assert(folded(markdown).includes(folded(textOf(listing ?? ''))), path)
    for (const [, , title] of main(body).matchAll(/<h([23]) id="[^"]+">([^<]+)/g))
      assert(new RegExp(`^#{2,3} ${RegExp.escape(textOf(title ?? ''))}$`, 'm').test(markdown), `${path}: ${title}`)
  }
})

test('the privacy notice has a version and a date of its own, which change with what it says', () => {
  const versionOf = (text: string) => /^\| Version \| `(\S+)-[0-9a-f]{8}`, the text of ([^|;]+); .* \|$/m.exec(text)
  const { markdown } = documentsOf()('/privacy')
  const [line, version, date] = versionOf(markdown) ?? []
  // If it says something else now, change `privacyDate` in src/site/values.ts, then this line.
  assert.deepEqual([version, date], ['2026-11-28', 'November 28, 2026'])
  for (const change of [{ retentionDays: 9 }, { consent: own }])
    assert.notEqual(versionOf(documentsOf(change)('/privacy').markdown)?.[0], line)
})

test("for a business's own wording, the pages promise nothing that only the built-in one says", () => {
  const promises = /not a condition of any purchase|covers calls, text messages and e-mail|STOP/
  assert.match(documentsOf()('/terms').markdown, promises)
  assert.doesNotMatch(documentsOf({ consent: own })('/terms').markdown, promises)
  // An agent tells what is quoted, so all of it is.
  assert.match(documentsOf({ consent: own })('/llms.txt').body, /^> Write to me\. I can withdraw this\.$/m)
})

suite('a configured value', () => {
  test('is shown literally on every page, in HTML and in Markdown', () => {
    const shown = {
      // Characters that HTML, Markdown and URLs treat as syntax.
      name: 'Zephyr & Sons <Cleaning> "24*7" [_x_](y)',
      phone: '<i>1</i>',
      email: '"a&b"@x.example',
      serviceArea: '`Q` | *R*',
      postalAddress: '1 <b> {{x}} St',
    }
    const business = { ...shown, serviceProviders: 'A_B_C {#x}', backupDays: 35 }
    for (const page of renderDocuments({ business }).filter(isPage)) {
      const text = textOf(page.body)
      for (const value of Object.values(shown)) assert(text.includes(value), `${page.path}: ${value}`)
      if (page.path === '/privacy') for (const value of ['A_B_C {#x}', '35 days']) assert(text.includes(value))
      assert(!page.body.includes('<Cleaning>') && !page.body.includes('<i>1</i>'))
      assert.doesNotMatch(page.markdown.replace(/```[\s\S]*?```|\\./g, ''), /<Cleaning>|<i>|\[_x_\]/)
    }
  })

  for (const [path, changes, stated] of [
    ['/privacy', {}, /until we delete it, such as when you ask us to/],
    ['/privacy', { retentionDays: 1_830 }, /erases the personal data of a request 1,830 days after we received it/],
    ['/api-docs', {}, /This deployment lists no origin/],
    ['/api-docs', { corsOrigins: ['https://a.example', 'https://b.example'] }, /a\.example, https:\/\/b\.example/],
    ['/api-docs', { duplicateWindowHours: 0 }, /does not look for duplicates/],
    ['/api-docs', {}, /No removal is scheduled/],
  ] as const) {
    test(`determines that ${path} says: ${stated.source}`, () => {
      assert.match(textOf(documentsOf(changes as Partial<DiscoveryContext>)(path).body), stated)
    })
  }

  test('makes a U.S. phone number a link, and leaves other text as text', () => {
    assert.match(documentsOf()('/terms').body, /"tel:\+12025550100"/)
    for (const phone of ['call us', '555-0100', '+44 20 7946 0958'])
      assert.doesNotMatch(documentsOf({ business: { ...createContext().business, phone } })('/terms').body, /"tel:/)
  })
})
