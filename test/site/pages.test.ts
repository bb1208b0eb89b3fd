import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { problemCodes, problemTable } from '../../src/problem/table.ts'
import { documentsOf, renderDocuments, trickyName } from './context.ts'

const isPage = (document: { contentType: string }) => document.contentType.startsWith('text/html')
// The preview of the website forms is what a website shows, not a part of the page.
const withoutForms = (body: string) =>
  body
    .replace(/<div class="preview"[\s\S]*?<!-- forms: end --><\/div>/, '')
    .replace(/<figcaption>Source:[\s\S]*?<\/pre>/, '')
const pages = (await renderDocuments()).filter(isPage).map((page) => ({ ...page, body: withoutForms(page.body) }))
const textOf = (body: string) =>
  body
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

const main = (body: string) => body.slice(body.indexOf('<main'), body.indexOf('</main>'))

suite('every page', () => {
  test('exists for each path and each problem', () => {
    const expected = [
      '/developers',
      '/api-docs',
      '/terms',
      '/privacy',
      '/website-forms',
      '/problems',
      ...problemCodes.map((code) => `/problems/${code}`),
    ]
    assert.deepEqual(pages.map(({ path }) => path).sort(), expected.sort())
  })

  test('has headings in order, each with its own anchor, and no anchor twice', () => {
    const heading = /<h([1-6])(?: id="([^"]+)")?>([\s\S]*?)<\/h\1>(?:<a class="anchor" href="#([^"]+)")?/g
    for (const { path, body } of pages) {
      const inMain = Array.from(main(body).matchAll(heading))
      assert.equal(Array.from(body.matchAll(heading)).filter(([, level]) => level === '1').length, 1, path)
      assert.equal(inMain[0]?.[1], '1', path)
      let before = 1
      for (const [, level, id, , anchor] of inMain) {
        assert(Number(level) <= before + 1, `${path}: ${level} after ${before}`)
        before = Number(level)
        assert(id)
        assert.equal(anchor, id, path)
      }
      const ids = Array.from(body.matchAll(/\sid="([^"]+)"/g), (match) => match[1])
      assert.equal(new Set(ids).size, ids.length, path)
    }
  })

  test('is complete HTML with a language, a title, a description and the landmarks', () => {
    for (const { path, body } of pages) {
      assert.match(body, /^<!doctype html>\n<html lang="en">\n/, path)
      assert.match(body, /<title>[^<]+ – Bright Home Cleaning<\/title>/, path)
      assert.match(body, /<link rel="alternate" type="text\/plain" href="https:\/\/api\.example\.org\/llms\.txt"/, path)
      assert.match(body, /<meta name="description" content="[^"]{20,}">/, path)
      for (const landmark of ['<main ', '<header class="site">', '<footer class="site">', '<nav class="toc"'])
        assert.equal(body.split(landmark).length, 2, `${path} ${landmark}`)
      assert.doesNotMatch(textOf(body), /undefined|\[object|NaN|\{\{|\}\}/, path)
    }
  })

  test('has no inline script or style', () => {
    for (const { path, body } of pages)
      assert.doesNotMatch(
        body,
        /<script(?! src="\/site\.js" defer><)|<style|\sstyle=|\son\w+=|<iframe|<form|<input/i,
        path,
      )
  })

  test('has the same content in Markdown', () => {
    const folded = (text: string) => text.replace(/\s+/g, ' ').trim()
    for (const { path, body, markdown: source } of pages) {
      const markdown = source.replace(/```html[\s\S]*?```/, '')
      assert.match(markdown, /^# /, path)
      assert.doesNotMatch(markdown, /undefined|\[object|NaN|\{\{|\}\}|\]\(\//, path)
      for (const [, listing] of body.matchAll(/<pre[^>]*>([\s\S]*?)<\/pre>/g))
        assert(folded(markdown).includes(folded(textOf(listing ?? ''))), path)
      for (const [, , title] of main(body).matchAll(/<h([23]) id="[^"]+">([^<]+)/g))
        assert(new RegExp(`^#{2,3} ${RegExp.escape(textOf(title ?? ''))}$`, 'm').test(markdown), `${path}: ${title}`)
    }
  })
})

suite('a configured value', () => {
  test('is shown literally on every page, in HTML and in Markdown', async () => {
    const shown = {
      name: trickyName,
      phone: '<i>1</i>',
      email: '"a&b"@x.example',
      serviceArea: '`Q` | *R*',
      postalAddress: '1 <b> {{x}} St',
    }
    const business = { ...shown, serviceProviders: 'A_B_C {#x}', backupDays: 35 }
    for (const page of (await renderDocuments({ business })).filter(isPage)) {
      const text = textOf(page.body)
      for (const value of Object.values(shown)) assert(text.includes(value), `${page.path}: ${value}`)
      if (page.path === '/privacy') for (const value of ['A_B_C {#x}', '35 days']) assert(text.includes(value))
      assert(!page.body.includes('<Cleaning>') && !page.body.includes('<i>1</i>'))
      assert.doesNotMatch(page.markdown.replace(/\\./g, ''), /<Cleaning>|<i>|\[_x_\]/)
    }
  })

  test('determines the stated retention', async () => {
    const textFor = async (retentionDays: number | undefined) =>
      textOf((await documentsOf({ retentionDays }))('/privacy').body)
    assert.match(await textFor(undefined), /until you ask us to delete it/)
    assert.match(await textFor(1_830), /erase the personal data of a request 1,830 days after we received it/)
  })

  test('determines the stated origins that may read answers', async () => {
    const textFor = async (corsOrigins: string[]) => textOf((await documentsOf({ corsOrigins }))('/api-docs').body)
    assert.match(await textFor([]), /This deployment lists no origin/)
    assert.match(
      await textFor(['https://a.example', 'https://b.example']),
      /https:\/\/a\.example and https:\/\/b\.example/,
    )
  })

  test('determines whether examples are said to work unmodified', async () => {
    const textFor = async (acceptTestLeads: boolean) =>
      textOf((await documentsOf({ acceptTestLeads }))('/api-docs').body)
    assert.match(await textFor(true), /lets? reserved test data through/)
    assert.doesNotMatch(await textFor(false), /lets? reserved test data through/)
  })

  test('determines the text when there is no duplicate window', async () => {
    const find = await documentsOf({ duplicateWindowHours: 0 })
    assert.match(textOf(find('/api-docs').body), /does not look for duplicates/)
    for (const path of ['/llms.txt', '/openapi.json', '/api-docs']) assert.doesNotMatch(find(path).body, /\b0 hours/)
  })

  test('determines the text about the alias before and after its removal', async () => {
    const deprecatedAt = new Date('2026-01-01T00:00:00Z')
    const sunset = { announcedAt: new Date('2026-06-01T00:00:00Z'), at: new Date('2027-07-01T00:00:00Z') }
    const textAt = async (now: string) =>
      textOf((await documentsOf({ legacy: { deprecatedAt, sunset }, now: () => Date.parse(now) }))('/api-docs').body)
    assert.match(await textAt('2027-06-30T23:59:59Z'), /announced on June 1, 2026 and is scheduled for July 1, 2027/)
    assert.match(await textAt('2027-07-01T00:00:00Z'), /was removed on July 1, 2027.*version_removed/)
    assert.match(textOf((await documentsOf())('/api-docs').body), /No removal is scheduled/)
  })
})

test('a problem page shows an answer as the service sends it', () => {
  for (const code of problemCodes) {
    const { body = '' } = pages.find(({ path }) => path === `/problems/${code}`) ?? {}
    const [, listing = ''] = /<pre[^>]*>([\s\S]*?)<\/pre>/.exec(body) ?? []
    const [head = '', content = ''] = textOf(listing).split('\n\n')
    const { status, title } = problemTable[code]
    const hint = problemTable[code].hint.replaceAll('{{phone}}', '(202) 555-0100')
    assert(head.startsWith(`HTTP/1.1 ${status} `))
    const problem = JSON.parse(content)
    assert.equal(problem.type, `https://api.example.org/problems/${code}`)
    const shown = [problem.status, problem.title, problem.hint, problem.error]
    assert.deepEqual(shown, [status, title, hint, problem.detail])
    assert.equal(status === 429 || status === 503, /^Retry-After: \d+$/m.test(head), code)
  }
})
