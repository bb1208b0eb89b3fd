import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { checkLead } from '../../src/lead/check.ts'
import { LeadError } from '../../src/lead/error.ts'
import { parseIdempotencyKey } from '../../src/lead/idempotency-key.ts'
import { hasPaymentCard } from '../../src/lead/payment-card.ts'
import { isTemplate } from '../../src/lead/template.ts'
import { type Body, contact, nowMs, quote } from '../support/submissions.ts'
import { documentsOf } from './context.ts'

const openapi = JSON.parse(documentsOf()('/openapi.json').body)
// The validator does not know OpenAPI's own keywords next to the schemas.
const ajv = new Ajv2020({ allErrors: true, strict: false })
formats.default(ajv)
ajv.addSchema(openapi, 'openapi')
const isLead = ajv.getSchema('openapi#/components/schemas/Lead') as ValidateFunction

/** The domain's verdict on a body. REST tests check that the wire agrees. */
function isTaken(body: Body): boolean {
  try {
    checkLead(body, { nowMs, acceptTestLeads: true })
    return true
  } catch (error) {
    assert(error instanceof LeadError)
    return false
  }
}

/** What a schema cannot express: the calendar, payment cards and placeholders. */
function isBeyondSchema(body: Body): boolean {
  const texts = Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return texts.some(([name, text]) => hasPaymentCard(text) || name === 'consentTimestamp' || isTemplate(name, text))
}

suite('the OpenAPI schema of a lead', () => {
  test('accepts the examples', () => {
    for (const body of [quote, contact]) assert(isLead({ ...body, phone: '2025550123' }), ajv.errorsText(isLead.errors))
  })

  test('accepts nothing that the service refuses', () => {
    const character = fc.oneof(
      { weight: 6, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }) },
      fc.constantFrom(...'\n\t\u200b\u00ad\u0085\u2028\u034f\0\u0007\u009f\u202e🧽\\@+.', '\ud800', '\udc00'),
    )
    const text = (max: number) => fc.string({ unit: character, maxLength: max })
    const lengths = fc.constantFrom(99, 100, 101, 199, 200, 201, 5000, 5001)
    const long = fc.tuple(fc.constantFrom('x', '🧽', 'é', '\n'), lengths)
    const digits = fc.stringMatching(/^([Tt]el:)?[0-9 .()+\u2011\u2212\u202a\u00a0\u200b-]{8,16}$/)
    const email = fc.stringMatching(/^([ab1._+@\u2060-]|com|@b\.co){0,12}$/)
    const count = fc.stringMatching(/^[0-9.+ \u200b]{0,4}$/)
    const time = fc
      .tuple(
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(nowMs) }),
        fc.constantFrom('Z', 'z', '', '+00:00', '+01:00'),
      )
      .map(([date, zone]) => date.toISOString().replace('Z', zone))
    const url = fc.stringMatching(
      /^((http|HTTPS|ftp):\/\/|https:|)[ -~\xa0é🧽]{0,6}example\.org(\/|\?a=b|\/#c|:80|\/a@b)?[\xad\u200b\u200d]{0,2}$/u,
    )
    const value = fc.oneof(
      text(12),
      long.map(([unit, length]) => unit.repeat(length)),
      digits,
      email,
      count,
      time,
      url,
      fc.constantFrom('support', 'quote', 'true', '', ' ', ' \t\n ', '\u00a0\ufeff', ' Pat ', '\n\nx\n', ' 2.5\t'),
      fc.constantFrom(' (202) 555-0123\n', ' pat@example.com ', ' https://example.com/ '),
      fc.constantFrom(true, false, null, 1, [], {}),
    )
    const member = fc.constantFrom(...new Set([...Object.keys(quote), ...Object.keys(contact), 'extra', '__proto__']))
    const change = fc.array(fc.tuple(member, fc.option(value, { nil: undefined })), { minLength: 1, maxLength: 3 })
    let taken = 0
    fc.assert(
      fc.property(
        fc.constantFrom({ ...quote, phone: '2025550123' }, { ...contact, phone: '2025550145' }),
        change,
        (base, changes) => {
          const body: Body = Object.assign(Object.create(null), base)
          for (const [name, changed] of changes) {
            if (changed === undefined) delete body[name]
            else body[name] = changed
          }
          if (isBeyondSchema(body)) return
          if (!isLead(body)) return
          taken++
          assert(isTaken(body), JSON.stringify(body))
        },
      ),
      { numRuns: 4_000 },
    )
    assert(taken > 200, `only ${taken} of the generated bodies were good`)
  })

  test('accepts the same idempotency keys as the service', () => {
    const { schema } = openapi.components.parameters.IdempotencyKey
    const isKey = ajv.compile(schema)
    const isTakenKey = (key: string) => {
      try {
        return parseIdempotencyKey(key) !== ''
      } catch {
        return false
      }
    }
    const odd = ['', '""', '"', 'a b', '"a b"', 'a,b', '"a,b"', '"a\\"b"', '"a\\b"', 'é']
    const long = [255, 256].flatMap((length) => ['k'.repeat(length), `"${'k'.repeat(length)}"`])
    for (const key of [...odd, ...long]) assert.equal(isKey(key), isTakenKey(key), key)
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab"\\ ,;[]~!\t\u007f'), maxLength: 8 }), (key) => {
        assert.equal(isKey(key), isTakenKey(key))
      }),
      { numRuns: 2_000 },
    )
  })
})
