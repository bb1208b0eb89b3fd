import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sha256 } from '../../../src/lead/fingerprint.ts'
import { currentWording, wordings } from '../../../src/lead/terms.ts'
import { problemCodes, problemTable } from '../../../src/problem/table.ts'
import { documentsOf, markdownOf, renderDocuments, trickyName } from '../context.ts'

const isPage = (document: { contentType: string }) => document.contentType.startsWith('text/html')
const pages = renderDocuments().filter(isPage)
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
  test('there is one for each path and each problem', () => {
    const expected = [
      '/developers',
      '/api-docs',
      '/terms',
      '/privacy',
      '/problems',
      ...problemCodes.map((code) => `/problems/${code}`),
    ]
    assert.deepEqual(pages.map(({ path }) => path).sort(), expected.sort())
  })

  for (const document of pages) {
    const { path, body } = document
    test(`${path} has headings in order, each with an anchor of its own, and every anchor is met once`, () => {
      const heading = /<h([1-6])(?: id="([^"]+)")?>([\s\S]*?)<\/h\1>/g
      const headings = Array.from(body.matchAll(heading))
      const inMain = Array.from(main(body).matchAll(heading))
      assert.equal(headings.filter(([, level]) => level === '1').length, 1)
      assert.equal(inMain[0]?.[1], '1')
      let before = 1
      for (const [, level, id, content] of inMain) {
        assert(Number(level) <= before + 1, `${level} after ${before}`)
        before = Number(level)
        assert(id)
        assert(content?.includes(`href="#${id}"`))
      }
      const ids = Array.from(body.matchAll(/\sid="([^"]+)"/g), (match) => match[1])
      assert.equal(new Set(ids).size, ids.length)
      for (const [, target] of body.matchAll(/href="#([^"]+)"/g)) assert(ids.includes(target), `#${target}`)
    })

    test(`${path} has no script, no inline style, and nothing from elsewhere`, () => {
      assert.doesNotMatch(body, /<script|<style|\sstyle=|\son\w+=|<iframe|<form|<input/i)
      const addresses = Array.from(body.matchAll(/\s(?:href|src)="([^"]+)"/g), (match) => match[1] ?? '')
      for (const address of addresses)
        assert.match(address, /^(?:https:\/\/api\.example\.org\/|#|\/site\.css$|\/favicon\.svg$|mailto:)/)
    })

    test(`${path} is whole HTML with a language, a title, a description and the landmarks`, () => {
      assert.match(body, /^<!doctype html>\n<html lang="en">\n/)
      assert.match(body, /<title>[^<]+ – Bright Home Cleaning<\/title>/)
      assert.match(body, /<meta name="description" content="[^"]{20,}">/)
      for (const landmark of ['<main ', '<header class="site">', '<footer class="site">', '<nav class="toc"'])
        assert.equal(body.split(landmark).length, 2, landmark)
      assert.doesNotMatch(textOf(body), /undefined|\[object|NaN|\{\{|\}\}/)
    })

    test(`${path} says the same in Markdown`, () => {
      const markdown = markdownOf(document)
      assert.match(markdown, /^# /)
      assert.doesNotMatch(markdown, /undefined|\[object|NaN|\{\{|\}\}|\]\(\//)
      const folded = (text: string) => text.replace(/\s+/g, ' ').trim()
      for (const [, source] of body.matchAll(/<pre[^>]*>([\s\S]*?)<\/pre>/g))
        assert(folded(markdown).includes(folded(textOf(source ?? ''))), path)
      for (const [, , title] of main(body).matchAll(/<h([23]) id="[^"]+">([^<]+)/g))
        assert.match(markdown, new RegExp(`^#{2,3} ${title?.replace(/[.*+?^$()|[\]\\]/g, '\\$&')}$`, 'm'))
    })
  }
})

suite('what is configured', () => {
  test('shows as typed on every page, in HTML and in Markdown', () => {
    const business = { name: trickyName, phone: '<i>1</i>', email: '"a&b"@x.example', serviceArea: '`Q` | *R*' }
    for (const page of renderDocuments({ business }).filter(isPage)) {
      const text = textOf(page.body)
      for (const value of Object.values(business)) assert(text.includes(value), `${page.path}: ${value}`)
      assert(!page.body.includes('<Cleaning>') && !page.body.includes('<i>1</i>'))
      assert.doesNotMatch(markdownOf(page).replace(/\\./g, ''), /<Cleaning>|<i>|\[_x_\]/)
    }
  })

  test('tells how long data is kept', () => {
    const textFor = (retentionDays: number | undefined) => textOf(documentsOf({ retentionDays })('/privacy').body)
    assert.match(textFor(undefined), /until their erasure is asked for/)
    assert.match(textFor(1_830), /erased by itself 1,830 days after it was received/)
  })

  test('tells which origins may read answers', () => {
    const textFor = (corsOrigins: string[]) => textOf(documentsOf({ corsOrigins })('/api-docs').body)
    assert.match(textFor([]), /This deployment lists no origin/)
    assert.match(textFor(['https://a.example', 'https://b.example']), /https:\/\/a\.example and https:\/\/b\.example/)
  })

  test('tells whether examples work as they stand', () => {
    const textFor = (acceptTestLeads: boolean) => textOf(documentsOf({ acceptTestLeads })('/api-docs').body)
    assert.match(textFor(true), /lets? reserved test data through/)
    assert.doesNotMatch(textFor(false), /lets? reserved test data through/)
  })

  test('tells when duplicates are not looked for', () => {
    const find = documentsOf({ duplicateWindowHours: 0 })
    assert.match(textOf(find('/api-docs').body), /does not look for duplicates/)
    for (const path of ['/llms.txt', '/openapi.json', '/api-docs']) assert.doesNotMatch(find(path).body, /\b0 hours/)
  })

  test('tells the removal of the alias before, and after', () => {
    const deprecatedAt = new Date('2026-01-01T00:00:00Z')
    const sunset = { announcedAt: new Date('2026-06-01T00:00:00Z'), at: new Date('2027-07-01T00:00:00Z') }
    const textAt = (now: string) =>
      textOf(documentsOf({ legacy: { deprecatedAt, sunset }, now: () => Date.parse(now) })('/api-docs').body)
    assert.match(textAt('2027-06-30T23:59:59Z'), /announced on 1 June 2026 and is scheduled for 1 July 2027/)
    assert.match(textAt('2027-07-01T00:00:00Z'), /was removed on 1 July 2027.*version_removed/)
    assert.match(textOf(documentsOf()('/api-docs').body), /No removal is scheduled/)
  })
})

suite('the terms', () => {
  test('keep every wording readable by its version, with the hash that records name', () => {
    const { body } = documentsOf()('/terms')
    for (const { version, text } of wordings) {
      assert(body.includes(`id="wording-${version}"`))
      assert(body.includes(sha256(text)))
      assert(textOf(body).includes(text))
    }
    assert.match(textOf(body), new RegExp(`Version\\s*${currentWording.version}`))
  })
})

suite('a problem page', () => {
  for (const code of problemCodes) {
    test(`of ${code} shows an answer as the service gives it`, () => {
      const { body } = documentsOf()(`/problems/${code}`)
      const [, listing = ''] = /<pre[^>]*>([\s\S]*?)<\/pre>/.exec(body) ?? []
      const [head = '', content = ''] = textOf(listing).split('\n\n')
      const { status, title, hint } = problemTable[code]
      assert(head.startsWith(`HTTP/1.1 ${status} `))
      const problem = JSON.parse(content)
      assert.equal(problem.type, `https://api.example.org/problems/${code}`)
      assert.deepEqual(
        [problem.status, problem.title, problem.hint, problem.error],
        [status, title, hint, problem.detail],
      )
      assert.equal(status === 429 || status === 503, /^Retry-After: \d+$/m.test(head))
    })
  }
})
