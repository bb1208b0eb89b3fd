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
  const cases: [text: string | number[], byte: number, cause: RegExp][] = [
    ['', 0, /empty/],
    [' \n', 2, /empty/],
    ['{', 1, /ends too early/],
    ['{"a":1', 6, /ends too early/],
    ['{"a":1,}', 7, /there is a comma before the closing bracket/],
    ['{"a":[1,]}', 8, /there is a comma before the closing bracket/],
    ['{"a":"ä","b":1,}', 16, /there is a comma before the closing bracket/],
    ['{"🧽":1,\n}', 11, /there is a comma before the closing bracket/],
    ["{'a':1}", 1, /single quotes/],
    ['{"a":\'b\'}', 5, /single quotes/],
    ['{"a":‘b’}', 5, /single quotes/],
    ['{"a":’b’}', 5, /single quotes/],
    ['{“a”:1}', 1, /curly quotes/],
    ['{a:1}', 1, /double quotes/],
    ['{"a" 1}', 5, /colon/],
    ['{"a":}', 5, /value is missing/],
    ['{"a":1 "b":2}', 7, /comma is missing/],
    ['{"a":"b"c"}', 8, /comma is missing/],
    ['{,"a":1}', 1, /comma has nothing before it/],
    ['{"a":NaN}', 5, /value must be/],
    ['{"a":True}', 5, /value must be/],
    ['{"a":01}', 5, /value must be/],
    ['{"a":"x\ny"}', 7, /line break/],
    ['{"a":"C:\\dir"}', 8, /backslash/],
    ['{"a":"b', 7, /no closing quote/],
    ['{"a":1} // c', 8, /follows the end/],
    ['{/* c */"a":1}', 1, /comment/],
    ['{"a":1, # c', 8, /comment/],
    ['{} {}', 3, /follows the end/],
    ['nul', 0, /value/],
    ['{"a":1,"b":2,"a":3}', 13, /occurs twice/],
    ['{"x":[{"a":1,"\\u0061":3}]}', 13, /occurs twice/],
    ['\ufeff{"a":1,}', 10, /there is a comma before/],
    [[0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d], 2, /not UTF-8/],
    [[0x7b, 0x22, 0xef, 0xbf, 0xbd, 0xff], 5, /not UTF-8/],
    [[0x7b, 0x22, 0xed, 0xa0, 0x80], 2, /not UTF-8/],
    [[0x7b, 0x22, 0xc0, 0x80], 2, /not UTF-8/],
  ]
  test('is named with its byte and its cause, and the body is not quoted', () => {
    for (const [text, byte, cause] of cases)
      assert.throws(
        () => parse(text as string),
        ({ code, message }: Error & { code: string }) => {
          assert.equal(code, 'malformed_json')
          assert.match(message, new RegExp(`at byte ${byte} \\(counted from 0\\)`), `${text}`)
          assert.match(message, cause)
          return true
        },
      )
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
