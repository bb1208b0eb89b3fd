import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { parseUtcDateTime } from '../../src/lead/date-time.ts'
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

suite('parseUtcDateTime', () => {
  test('parses every time that JavaScript formats', () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date('0001-01-01T00:00:00Z'),
          max: new Date('9999-12-31T23:59:59.999Z'),
          noInvalidDate: true,
        }),
        (date) => {
          assert.equal(parseUtcDateTime(date.toISOString()), date.getTime())
        },
      ),
    )
  })

  test('accepts a date only if it exists in the calendar', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9999 }),
        fc.integer({ min: 0, max: 13 }),
        fc.integer({ min: 0, max: 32 }),
        (year, month, day) => {
          const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
          const lengths = [0, 31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0]
          const exists = day >= 1 && day <= (lengths[month] ?? 0)
          const pad = (value: number, width: number) => String(value).padStart(width, '0')
          const text = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T00:00:00Z`
          assert.equal(parseUtcDateTime(text) !== undefined, exists, text)
        },
      ),
    )
  })

  test('counts a leap second as the next second, and truncates fractions to milliseconds', () => {
    assert.equal(parseUtcDateTime('2016-12-31T23:59:60Z'), Date.UTC(2017, 0, 1))
    assert.equal(parseUtcDateTime('2016-12-31T23:59:59.9999Z'), Date.UTC(2016, 11, 31, 23, 59, 59, 999))
    assert.equal(parseUtcDateTime('2016-12-31T22:59:60Z'), undefined)
  })
})
