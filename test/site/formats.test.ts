import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { Marked } from 'marked'
import { fill } from '../../src/site/fill.ts'
import { escapeMarkdown, html, json, markdown } from '../../src/site/formats.ts'
import { telUri } from '../../src/site/values.ts'

const readBack = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
const folded = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Text with characters that Markdown, HTML, JSON, templates and links treat as syntax. */
const tricky = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 10 }),
      fc.constantFrom('<b>', '**', '](x)', '{#id}', '{{x}}', 'a@b.example', '&amp;', '1. ', '~~', '|', '- ', '"', '\\'),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''))
const shown = (value: string, format: typeof html) => fill('a {{value}} b', { value }, format.escape)

suite('a value of a deployment is shown literally', () => {
  test('in HTML', () => {
    fc.assert(
      fc.property(tricky, (value) => {
        const text = shown(value, html)
        assert.doesNotMatch(text, /[<>"']/)
        assert.equal(readBack(text), `a ${value} b`)
      }),
    )
  })

  test('in Markdown, whichever program renders it', () => {
    // Only explicit links become links.
    const marked = new Marked({ tokenizer: { url: () => undefined } })
    fc.assert(
      fc.property(tricky, (value) => {
        const text = marked.parse(shown(value, markdown), { async: false })
        assert.doesNotMatch(text, /<(?!\/?p>)/)
        assert.equal(folded(readBack(text.replace(/<\/?p>/g, ''))), folded(`a ${folded(value)} b`))
      }),
      { numRuns: 500 },
    )
    assert.equal(escapeMarkdown('Zephyr & Sons <b> [x](y) `z`'), 'Zephyr \\& Sons \\<b\\> \\[x\\](y) \\`z\\`')
  })

  test('in JSON', () => {
    fc.assert(fc.property(tricky, (value) => assert.equal(JSON.parse(`"${shown(value, json)}"`), `a ${value} b`)))
  })
})

test('a U.S. phone number becomes a link, and other text stays text', () => {
  assert.equal(telUri('(202) 555-0100'), 'tel:+12025550100')
  for (const text of ['call us', '555-0100', '+44 20 7946 0958', '']) assert.equal(telUri(text), undefined)
})
