import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { chooseMediaType, namesEtag, readMediaType } from '../../src/rest/negotiate.ts'

suite('readMediaType', () => {
  const charsets: [text: string, essence: string, charset: string | undefined][] = [
    ['application/json', 'application/json', undefined],
    [' Application/JSON ', 'application/json', undefined],
    ['application/json;charset=UTF-8', 'application/json', 'UTF-8'],
    ['application/json ; a=b ; Charset="utf-8"', 'application/json', 'utf-8'],
    ['application/json; a="; charset=latin1"; charset=utf-8', 'application/json', 'utf-8'],
    ['application/json; a="\\""; charset=utf-8', 'application/json', 'utf-8'],
    ['application/json; charset=utf-8; charset=latin1', 'application/json', 'utf-8'],
    ['application/json; charset="utf-8', 'application/json', 'utf-8'],
    ['application/json;;; ;charset', 'application/json', ''],
    ['', '', undefined],
  ]
  for (const [text, essence, charset] of charsets) {
    test(`reads ${JSON.stringify(text)}`, () => {
      const type = readMediaType(text)
      assert.deepEqual([type.essence, type.parameters.get('charset')], [essence, charset])
    })
  }
})

suite('chooseMediaType', () => {
  const html = 'text/html'
  const markdown = 'text/markdown'
  const choices: [accept: string, chosen: string | undefined][] = [
    ['*/*', html],
    ['', undefined],
    [markdown, markdown],
    ['text/*', html],
    ['text/html, text/markdown', html],
    ['text/markdown, text/html', markdown],
    ['text/html;q=0.5, text/markdown;q=0.9', markdown],
    ['text/*, text/markdown', markdown],
    ['text/html;q=0, */*', markdown],
    ['text/html;q=0', undefined],
    ['text/html;q=high, text/markdown;q=0.1', markdown],
    ['text/html;q=2, text/markdown;q=0.1', markdown],
    ['application/json', undefined],
    ['TEXT/MARKDOWN', markdown],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8', html],
  ]
  for (const [accept, chosen] of choices) {
    test(`gives ${chosen} for ${JSON.stringify(accept)}`, () =>
      assert.equal(chooseMediaType(accept, [html, markdown]), chosen))
  }
})

test('namesEtag uses weak comparison', () => {
  for (const field of ['"a"', 'W/"a"', '"b", W/"a"', '*', ' * ']) assert(namesEtag(field, '"a"'), field)
  for (const field of ['"b"', 'a', '"a', '"a-br"', '']) assert(!namesEtag(field, '"a"'), field)
})
