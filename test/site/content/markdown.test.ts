import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { mailLink, mailto } from '../../../src/site/content/mail.ts'
import { code, codes, type Inline, parseInline, plain, prose } from '../../../src/site/content/markdown.ts'

const textOf = (pieces: Inline[]): string =>
  pieces.map((piece) => ('content' in piece ? textOf(piece.content) : piece.text)).join('')

suite('prose', () => {
  test('reads code, strong, links and escapes', () => {
    assert.deepEqual(parseInline('Send `a_b` **now** to [the *API*](/api-docs#x) \\*'), [
      { kind: 'text', text: 'Send ' },
      { kind: 'code', text: 'a_b' },
      { kind: 'text', text: ' ' },
      { kind: 'strong', content: [{ kind: 'text', text: 'now' }] },
      { kind: 'text', text: ' to ' },
      { kind: 'link', target: '/api-docs#x', content: [{ kind: 'text', text: 'the *API*' }] },
      { kind: 'text', text: ' *' },
    ])
  })

  test('shows any value as typed, whatever Markdown or HTML it looks like', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (value) => {
        const pieces = parseInline(prose('a {{value}} b', { value }).source)
        assert(pieces.every(({ kind }) => kind === 'text'))
        assert.equal(textOf(pieces), `a ${value.replace(/\s+/g, ' ')} b`)
      }),
    )
  })

  test('escapes a value so that other readers of Markdown see it as typed as well', () => {
    assert.equal(plain('Zephyr & Sons <b> [x](y) `z`').source, 'Zephyr \\& Sons \\<b\\> \\[x\\](y) \\`z\\`')
  })

  test('throws on a value that nobody gave', () => {
    assert.throws(() => prose('{{missing}}'), /no value for \{\{missing\}\}/)
  })

  test('leaves single braces alone', () => {
    assert.equal(prose('/problems/{code}').source, '/problems/{code}')
  })

  test('takes Markdown as a value unescaped', () => {
    assert.equal(prose('{{list}}.', { list: codes(['a', 'b', 'c']) }).source, '`a`, `b` and `c`.')
    assert.equal(codes(['a']).source, '`a`')
  })

  test('refuses a backtick in code', () => {
    assert.throws(() => code('a`b'))
  })

  test('an e-mail address leads to itself, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), (address) => {
        const [piece, ...rest] = parseInline(mailLink(address).source)
        assert.deepEqual(rest, [])
        assert(piece?.kind === 'link')
        assert.equal(decodeURIComponent(piece.target), `mailto:${address}`)
        assert.equal(textOf(piece.content), address.replace(/\s+/g, ' '))
      }),
    )
    assert.equal(mailto('hello@brighthome.example'), 'mailto:hello@brighthome.example')
  })
})
