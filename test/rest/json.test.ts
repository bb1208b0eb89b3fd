import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { parseJsonObject } from '../../src/rest/json.ts'
import type { Refusal } from '../../src/rest/problems.ts'

/** Judges a refusal by its detail. */
const refusalOf = (detail: RegExp) => (refusal: Refusal) => {
  assert.equal(refusal.problem.code, 'malformed_json')
  assert.match(`${refusal.problem.detail}`, detail)
  return true
}
const parse = (text: string | Buffer) => parseJsonObject(Buffer.from(text as string))

test('JSON that is not an object is refused, and a leading byte order mark is ignored', () => {
  for (const text of ['null', '1', '"a"', 'true', '[]', '[{}]'])
    assert.throws(() => parse(text), { problem: { code: 'invalid_body' } }, text)
  assert.deepEqual(parse('\ufeff{"a":1}'), { a: 1 })
  assert.deepEqual(parse('{"a":":","b":"\\":"}'), { a: ':', b: '":' })
})

suite('the fault of malformed JSON', () => {
  const cases: [cause: RegExp, ...texts: (string | number[])[]][] = [
    [/empty, or ends too early/, '', ' \n', '{', '{"a":1', '{"a":[1,', '{"a":"b'],
    [/property name.* at position 7\.$/, '{"a":1,}', '\ufeff{"a":1,}'],
    [/property name/, "{'a':1}", '{“a”:1}', '{a:1}', '{,"a":1}', '{/* c */"a":1}'],
    [/Expected ':'/, '{"a" 1}'],
    [/Expected ',' or '}'/, '{"a":1 "b":2}', '{"a":"b"c"}'],
    [/a value must be/, '{"a":}', '{"a":NaN}', '{"a":True}', '{"a":‘b’}', 'nul }'],
    [/Bad control character/, '{"a":"x\ny"}'],
    [/Bad control character .*, at notes\.$/, '{"name":"Pat","notes":"x\ny"}'],
    [/, at notes\.$/, '{"notes":"They said "ring twice", please"}'],
    [/Bad escaped character/, '{"a":"C:\\dir"}'],
    [/after JSON/, '{"a":1} // c', '{} 1'],
    [/another object/, '{} {}', '{"a":1}\n{"a":2}', '{"a":1},{'],
    [/occurs twice/, '{"a":1,"b":2,"a":3}', '{"x":[{"a":1,"\\u0061":3}]}', '{"a":{"b":1},"a":[]}'],
    [/text before the object/, '```json\n{"a":1}\n```', ' ```\n{"a":1}', 'Here is the lead:\n{"a":1}', 'JSON {"a":1}'],
    [/form data/, 'name=Pat&phone=2025550123', '--boundary\r\nContent-Disposition: form-data; name="name"\r\n\r\nPat'],
    [/not UTF-8, but perhaps UTF-16/, '{\0"\0a\0', [0xff, 0xfe, 0x7b, 0x00]],
    [/not UTF-8/, [0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d], [0x7b, 0x22, 0xed, 0xa0, 0x80], [0x7b, 0x22, 0xc0, 0x80]],
  ]
  test('is named to the caller, and the body is not quoted', () => {
    for (const [cause, ...texts] of cases)
      for (const text of texts) assert.throws(() => parse(text as string), refusalOf(cause), `${text}`)
    for (const text of ['{"a":canary}', "{'canary':1}", '{"canary":1,"canary":2}', '{"a":1} canary', 'x "canary'])
      assert.throws(() => parse(text), refusalOf(/^((?!canary).)*$/s))
  })

  test('is a repeated name only if one object has it twice', () => {
    const name = fc.constantFrom('a', 'b', 'c', '":', '{', '\\', 'a"')
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, fc.constantFrom('1', '"\\\\"', '"{\\"a\\":1"'), tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
      object: fc
        .uniqueArray(fc.tuple(name, tie('value')), { maxLength: 3, selector: ([key]) => key })
        .map((members) => `{${members.map(([key, inner]) => `${JSON.stringify(key)}:${inner}`).join(' , ')}}`),
    }))
    fc.assert(
      fc.property(value, name, (inner, key) => {
        const member = `${JSON.stringify(key)}:${inner}`
        assert.deepEqual(parse(`{${member}}`), JSON.parse(`{${member}}`))
        assert.throws(() => parse(`{"x":[{${member},"y":1,${member}}]}`), refusalOf(/twice/))
      }),
    )
  })
})
