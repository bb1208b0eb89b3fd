import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { highlight } from '../../src/site/highlight.ts'
import { Html, html } from '../../src/site/html.ts'

const readBack = (source: string) =>
  source
    .replace(/<\/?span[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

suite('html', () => {
  test('escapes every value, in text and in attributes', () => {
    assert.equal(html`<a title="${'"x"'}">${"<b>&'"}</a>`.source, '<a title="&quot;x&quot;">&lt;b&gt;&amp;&#39;</a>')
  })

  test('inserts HTML, lists of HTML and undefined unescaped', () => {
    const list = [html`<i>1</i>`, html`<i>2</i>`]
    assert.equal(html`${list}${undefined}${new Html('<hr>')}${3}`.source, '<i>1</i><i>2</i><hr>3')
  })

  test('does not let a value open or close a tag or leave an attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const escaped = html`${value}`.source
        assert(!/[<>"']/.test(escaped))
        assert.equal(readBack(escaped), value)
      }),
    )
  })
})

suite('highlight', () => {
  test('highlights without changing the text', () => {
    const piece = fc.constantFrom(
      ...[
        '"key": ',
        '"text"',
        "'",
        '`',
        '\\',
        '// c',
        '# c',
        '/* c',
        'const ',
        'True',
        ' -H ',
        '\n',
        '12',
        '<b>',
        '$x',
      ],
    )
    fc.assert(
      fc.property(
        fc.constantFrom('json', 'http', 'sh', 'ts', 'python', 'php', 'other'),
        fc.array(fc.oneof(piece, fc.string())),
        (language, pieces) => {
          const source = pieces.join('')
          assert.equal(readBack(highlight(source, language).source), source.replace(/<\/?span[^>]*>/g, ''))
        },
      ),
    )
  })

  test('distinguishes keys from strings in JSON', () => {
    assert.equal(
      highlight('{"a": "b", "c": true}', 'json').source,
      '{<span class="hl-key">&quot;a&quot;</span>: <span class="hl-string">&quot;b&quot;</span>, <span class="hl-key">&quot;c&quot;</span>: <span class="hl-word">true</span>}',
    )
  })
})
