import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { parseUtcDateTime } from '../../src/lead/date-time.ts'

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
