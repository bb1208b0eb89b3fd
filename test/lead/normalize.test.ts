import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { normalizeEmail, normalizeField, normalizePhone } from '../../src/lead/normalize.ts'

const digits = fc.stringMatching(/^[0-9]{10}$/)
const separator = fc.constantFrom(
  '',
  ' ',
  '.',
  '-',
  '(',
  ')',
  ') ',
  ...'\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u061c\u200e\u200f\u202a\u202e\u2066\u2069',
)

suite('normalizing', () => {
  test('reduces a phone number to ten digits, however it is written', () => {
    fc.assert(
      fc.property(
        digits,
        fc.constantFrom('', '1', '+1', '+1 ', '1-'),
        fc.array(separator, { minLength: 10, maxLength: 10 }),
        (number, prefix, between) => {
          const written = prefix + [...number].map((digit, index) => between[index] + digit).join('')
          assert.equal(normalizePhone(written), number)
        },
      ),
    )
  })

  test('leaves text that is not a phone number unchanged', () => {
    for (const text of [
      '',
      '1',
      '+',
      '+12',
      '202555012',
      '12025550123456',
      '+2025550123',
      '2025550123x',
      '202\u200b5550123',
      '202\u20165550123',
    ]) {
      assert.equal(normalizePhone(text), text)
    }
  })

  test('lowercases only the domain of an address', () => {
    assert.equal(normalizeEmail('Pat.O@Mail.EXAMPLE.Com'), 'Pat.O@mail.example.com')
    assert.equal(normalizeEmail('NOBODY'), 'nobody')
  })

  test('is idempotent', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('phone', 'email', 'name', 'pageUrl'),
        fc.string({ unit: 'grapheme' }),
        (name, text) => {
          const once = normalizeField(name, text)
          assert.equal(normalizeField(name, once), once)
        },
      ),
    )
  })
})
