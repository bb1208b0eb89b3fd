import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { checkLead } from '../../src/lead/check.ts'
import { cleanLine, cleanText } from '../../src/lead/normalize.ts'
import { inputs, clean as typedText } from '../../src/site/form/fields.ts'
import { goodCases, options, quote, unseen } from '../support/submissions.ts'

const odd = [...unseen, ...'\t\n\r\v\f\u0085\u2028\u2029 \u00a0\u200c\u200d\ufe0f👩🏽é٣３', '\ud800', '\udc00']
const text = fc.oneof(
  fc.string({ unit: fc.oneof(fc.constantFrom(...odd), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 })) }),
  fc.string({ unit: 'binary' }),
)

suite('a cleaned text', () => {
  test('keeps what joins letters and emoji', () => {
    for (const value of ['👩‍👧‍👦', '❤️', '👩🏽‍🚒 ok', 'نامه‌ای', 'क्‍ष', '☎︎', '葛󠄀飾'])
      for (const clean of [cleanText, cleanLine]) assert.equal(clean(`\u200d ${value}\u200d`), value)
  })

  test('keeps all that is visible, and nothing that moves a cursor, hides text or reverses its direction', () => {
    const unsafe =
      /(?!\n|\t)\p{Cc}|[\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u
    const seen = (value: string) =>
      value.toWellFormed().replace(/[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/gu, '')
    fc.assert(
      fc.property(text, (value) => {
        for (const clean of [cleanText, cleanLine]) assert.equal(seen(clean(value)), seen(value))
        assert.doesNotMatch(cleanText(value), unsafe)
        assert.doesNotMatch(cleanLine(value), /\p{Cc}/u)
        assert(cleanText(value).isWellFormed())
      }),
    )
  })

  test('has line breaks where other systems have them, and spaces in a field of one line', () => {
    assert.equal(cleanText('a\r\nb\rc\vd\fe\u0085f\u2028g\u2029h\ti\n'), 'a\nb\nc\nd\ne\nf\ng\nh\ti')
    assert.equal(cleanLine('a\r\nb\tc\u2028d'), 'a b c d')
  })
})

test('the form accepts every value that the API accepts, whatever the form checks or cleans', () => {
  const typed = fc.constantFrom('phone', 'email', 'bedrooms', 'bathrooms').chain((field) => {
    const values = goodCases.map(({ change }) => change[field]).filter((value) => typeof value === 'string')
    const inserted = fc.constantFrom(...odd, ...'x()<>[]"#+-.,/|:@ 1½aO', '')
    return fc.record({ field: fc.constant(field), value: fc.constantFrom(...values), at: fc.nat(60), inserted })
  })
  fc.assert(
    fc.property(typed, ({ field, value, at, inserted }) => {
      const text = Array.from(value).toSpliced(at, 0, inserted).join('')
      const sent = typedText(text)
      const isTaken = (one: string) => {
        try {
          return checkLead({ ...quote, [field]: one }, options).kind === 'quote'
        } catch {
          return false
        }
      }
      assert.equal(isTaken(sent), isTaken(text))
      if (isTaken(text)) assert.match(sent, inputs[field].pattern)
    }),
    { numRuns: 3_000 },
  )
})
