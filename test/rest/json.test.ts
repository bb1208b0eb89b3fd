import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { parseJsonObject } from '../../src/rest/json.ts'
import { findJsonFault } from '../../src/rest/json-fault.ts'

const parse = (text: string | Buffer) => parseJsonObject(Buffer.from(text as string))

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

suite('parseJsonObject', () => {
  test('parses every object that JSON.stringify creates', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (value) => {
        // Round-trip through JSON once, because JSON has no -0.
        const text = JSON.stringify(value)
        assert.deepEqual(parse(text), JSON.parse(text))
        assert.deepEqual(parse(JSON.stringify(value, null, 2)), JSON.parse(text))
      }),
    )
  })

  test('refuses what is no object, and ignores a leading byte order mark', () => {
    for (const text of ['null', '1', '"a"', 'true', '[]', '[{}]'])
      assert.throws(() => parse(text), { code: 'invalid_body' }, text)
    assert.deepEqual(parse('\ufeff{"a":1}'), { a: 1 })
    assert.deepEqual(parse('{"a":":","b":"\\":"}'), { a: ':', b: '":' })
  })
})

suite('the fault of malformed JSON', () => {
  const cases: [cause: RegExp, ...faults: [text: string | number[], byte: number][]][] = [
    [/empty/, ['', 0], [' \n', 2]],
    [/ends too early/, ['{', 1], ['{"a":1', 6]],
    [/comma before the closing/, ['{"a":1,}', 7], ['{"a":[1,]}', 8], ['{"a":"ä","b":1,}', 16], ['{"🧽":1,\n}', 11]],
    [/comma before the closing/, ['\ufeff{"a":1,}', 10]],
    [/single quotes/, ["{'a':1}", 1], ['{"a":\'b\'}', 5], ['{"a":‘b’}', 5], ['{"a":’b’}', 5]],
    [/curly quotes/, ['{“a”:1}', 1]],
    [/double quotes/, ['{a:1}', 1]],
    [/colon/, ['{"a" 1}', 5]],
    [/value is missing/, ['{"a":}', 5]],
    [/comma is missing/, ['{"a":1 "b":2}', 7], ['{"a":"b"c"}', 8]],
    [/comma has nothing before it/, ['{,"a":1}', 1]],
    [/value must be/, ['{"a":NaN}', 5], ['{"a":True}', 5], ['{"a":01}', 5], ['nul', 0]],
    [/line break/, ['{"a":"x\ny"}', 7]],
    [/backslash/, ['{"a":"C:\\dir"}', 8]],
    [/no closing quote/, ['{"a":"b', 7]],
    [/follows the end/, ['{"a":1} // c', 8], ['{} {}', 3]],
    [/comment/, ['{/* c */"a":1}', 1], ['{"a":1, # c', 8]],
    [/occurs twice/, ['{"a":1,"b":2,"a":3}', 13], ['{"x":[{"a":1,"\\u0061":3}]}', 13]],
    [/not UTF-8/, [[0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d], 2], [[0x7b, 0x22, 0xef, 0xbf, 0xbd, 0xff], 5]],
    [/not UTF-8/, [[0x7b, 0x22, 0xed, 0xa0, 0x80], 2], [[0x7b, 0x22, 0xc0, 0x80], 2]],
  ]
  test('is named with its byte and its cause, and the body is not quoted', () => {
    for (const [cause, ...faults] of cases)
      for (const [text, byte] of faults) {
        const refused = () => parse(text as string)
        assert.throws(refused, { code: 'malformed_json', message: cause })
        assert.throws(refused, { message: new RegExp(`at byte ${byte} \\(counted from 0\\)`) }, `${text}`)
      }
    for (const text of ['{"a":canary}', "{'canary':1}", '{"canary":1,"canary":2}', '{"a":1} canary'])
      assert.throws(() => parse(text), { message: /^((?!canary).)*$/s })
  })

  test('is found exactly where JSON.parse fails, or where a name is repeated', () => {
    const pieces = [...'{}[],:"\'\\ \n01.-eEä/', '"a"', '"b"', 'true', 'null', '"a":', '1', '\\u0061']
    const piece = fc.constantFrom(...pieces)
    const texts = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.tuple(fc.json(), fc.nat(), piece).map(([json, at, more]) => {
        const index = at % (json.length + 1)
        return json.slice(0, index) + more + json.slice(index)
      }),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const fault = findJsonFault(text)
        if (isJson(text)) assert(fault === undefined || /twice/.test(fault.cause), text)
        else assert(fault, text)
      }),
      { numRuns: 2_000 },
    )
  })
})
