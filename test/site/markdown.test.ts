import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { code, codes, mailLink, mailto, phoneLink, plain, prose, telUri } from '../../src/site/markdown.ts'
import { renderPage } from '../../src/site/render.ts'

/** The text of a paragraph, as a reader of the page sees it. */
function show(paragraph: string): string {
  const { source } = renderPage(`# Title\n\nLead.\n\n${paragraph}`).main
  const [, inner = ''] = /<p class="lead">Lead\.<\/p>\n<p>([\s\S]*?)<\/p>\n<\/div>/.exec(source) ?? []
  return inner
}
const readBack = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
const folded = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Text with characters that Markdown, HTML, templates and links treat as syntax. */
const tricky = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 10 }),
      fc.constantFrom(
        '<b>',
        '**',
        '](x)',
        '{#id}',
        '{{x}}',
        'https://x.example',
        'a@b.example',
        '&amp;',
        '1. ',
        '~~',
        '|',
        '- ',
      ),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''))

suite('a value in prose', () => {
  test('is shown literally, whatever Markdown, HTML or template syntax it contains', () => {
    fc.assert(
      fc.property(tricky, (value) => {
        const shown = show(prose('a {{value}} b', { value }).source)
        assert.doesNotMatch(shown, /<(?!\/?p>)/)
        assert.equal(folded(readBack(shown)), folded(`a ${folded(value)} b`))
      }),
      { numRuns: 500 },
    )
  })

  test('is escaped so that other Markdown renderers show it literally too', () => {
    assert.equal(plain('Zephyr & Sons <b> [x](y) `z`').source, 'Zephyr \\& Sons \\<b\\> \\[x\\](y) \\`z\\`')
  })

  test('may be Markdown', () => {
    assert.equal(prose('{{list}}.', { list: codes(['a', 'b', 'c']) }).source, '`a`, `b` and `c`.')
    assert.equal(codes(['a']).source, '`a`')
    assert.throws(() => code('a`b'))
  })
})

suite('contact links', () => {
  test('an e-mail address links to itself, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), (address) => {
        fc.pre(folded(address) !== '')
        const [, target = '', text = ''] = /^<a href="([^"]*)">(.*)<\/a>$/s.exec(show(mailLink(address).source)) ?? []
        assert.equal(decodeURIComponent(readBack(target)), `mailto:${address}`)
        assert.equal(folded(readBack(text)), folded(address))
      }),
    )
    assert.equal(mailto('hello@brighthome.example'), 'mailto:hello@brighthome.example')
  })

  test('a U.S. phone number becomes a link, and other text stays text', () => {
    assert.equal(telUri('(202) 555-0100'), 'tel:+12025550100')
    assert.equal(telUri('+1 202.555.0100'), 'tel:+12025550100')
    for (const text of ['call us', '555-0100', '+44 20 7946 0958', '']) assert.equal(telUri(text), undefined)
    assert.equal(phoneLink('<call>').source, '\\<call\\>')
  })
})
