import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { parseJsonObject } from '../../src/rest/json.ts'

const parse = (text: string | Buffer) => parseJsonObject(Buffer.from(text as string))

suite('parseJsonObject', () => {
  test('reads every object that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (value) => {
        // Through JSON once, since it has no -0.
        const text = JSON.stringify(value)
        assert.deepEqual(parse(text), JSON.parse(text))
        assert.deepEqual(parse(JSON.stringify(value, null, 2)), JSON.parse(text))
      }),
    )
  })

  test('refuses a member name that occurs twice, at any depth and however it is written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.jsonValue(), fc.jsonValue(), (name, one, other) => {
        const key = JSON.stringify(name)
        const escaped = `"${[...name].map((c) => Array.from(c, (_, i) => `\\u${c.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')).join('')}"`
        const pair = `${key}:${JSON.stringify(one)},${name.length === [...name].length ? escaped : key}:${JSON.stringify(other)}`
        assert.throws(() => parse(`{${pair}}`), { code: 'malformed_json' })
        assert.throws(() => parse(`{"a":[{${pair}}]}`), { code: 'malformed_json' })
      }),
    )
  })

  for (const text of ['', ' ', '{', '{"a":1', "{'a':1}", '{"a":1,}', '{"a":NaN}', 'nul', '{"a":"\n"}', '{} {}']) {
    test(`refuses ${JSON.stringify(text)} as malformed`, () =>
      assert.throws(() => parse(text), { code: 'malformed_json' }))
  }

  for (const text of ['null', '1', '"a"', 'true', '[]', '[{}]']) {
    test(`refuses ${text}, which is no object`, () => assert.throws(() => parse(text), { code: 'invalid_body' }))
  }

  for (const bytes of [[0xc3, 0x28], [0xff], [0xed, 0xa0, 0x80], [0xc0, 0x80]]) {
    test(`refuses the bytes ${bytes.map((byte) => byte.toString(16)).join(' ')}, which are not UTF-8`, () => {
      assert.throws(() => parseJsonObject(Buffer.from([0x7b, 0x22, ...bytes, 0x22, 0x3a, 0x31, 0x7d])), {
        code: 'malformed_json',
      })
    })
  }

  test('ignores a leading byte order mark', () => assert.deepEqual(parse('\ufeff{"a":1}'), { a: 1 }))

  test('survives nesting as deep as a body is long', () => {
    const depth = 9_000
    assert(parse(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`))
    assert(parse(`${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`))
  })
})
