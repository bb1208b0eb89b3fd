import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { checkLead } from '../../src/lead/check.ts'
import { LeadError } from '../../src/lead/error.ts'
import { parseIdempotencyKey } from '../../src/lead/idempotency-key.ts'
import { isAbsent } from '../../src/lead/normalize.ts'
import { type Body, contact, nowMs, quote } from '../support/submissions.ts'
import { documentsOf, validatorsOf } from './context.ts'

interface Property {
  type?: string | string[]
  $ref?: string
  pattern?: string
  example?: unknown
  properties?: Record<string, Property>
}

const text = documentsOf()('/openapi.json').body
const openapi = JSON.parse(text)
const lead: { properties: Record<string, Property> } & Body = openapi.components.schemas.Lead
const compile = validatorsOf(openapi)
const isLead = compile(lead)

/** What a schema cannot say: the calendar, payment cards, and placeholders. Test data is accepted here. */
const beyondSchema = ['invalid_date_time', 'payment_card', 'placeholder']

/** The faults that the service finds in a body, as `pointer code`, without those beyond the schema. */
function faultsOf(body: Body): string[] {
  try {
    checkLead(body, { nowMs, acceptTestLeads: true })
    return []
  } catch (error) {
    assert(error instanceof LeadError)
    if (error.faults.length === 0) return [error.code]
    return error.faults
      .filter(({ code }) => !beyondSchema.includes(code))
      .map(({ pointer, code }) => `${pointer} ${code}`)
  }
}

const patternsOf = (name: string) => lead.properties[name]?.pattern ?? ''
const patterns = [...new Set(Object.keys(lead.properties).map(patternsOf))].filter((one) => one !== '')

suite('the OpenAPI schema of a lead', () => {
  test('is one flat object with the fields of both kinds, for tools that drop alternatives', () => {
    assert.equal(lead.type, 'object')
    for (const name of ['oneOf', 'anyOf', 'allOf', '$ref']) assert(!(name in lead), name)
    const fields = new Set([...Object.keys(contact), ...Object.keys(quote)])
    assert.deepEqual(new Set(Object.keys(lead.properties)), fields)
    assert.deepEqual(lead.required, ['name', 'phone', 'email'])
    for (const [name, { type }] of Object.entries(lead.properties))
      assert.deepEqual(type, name === 'communicationsConsent' ? ['boolean', 'null'] : 'string', name)
  })

  for (const [kind, base] of [['quote', quote] as const, ['support', contact] as const])
    test(`fits a ${kind} of a tool that must send every field, and the service takes it`, () => {
      const blanks = Object.keys(lead.properties).map((name) => [name, name === 'communicationsConsent' ? null : ''])
      const body: Body = { ...Object.fromEntries(blanks), ...base, formType: kind }
      assert(isLead(body), JSON.stringify(isLead.errors))
      assert.deepEqual(faultsOf(body), [])
    })

  test('accepts nothing that the service refuses', () => {
    const character = fc.oneof(
      { weight: 6, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }) },
      fc.constantFrom(...'\n\t\u200b\u00ad\u0085\u2028\u034f\0\u0007\u009f\u202e🧽\\@+.', '\ud800', '\udc00'),
    )
    const long = fc.tuple(fc.constantFrom('x', '🧽', 'é', '\n'), fc.constantFrom(100, 101, 200, 201, 5000, 5001))
    const odd = fc.oneof(
      fc.string({ unit: character, maxLength: 12 }),
      long.map(([unit, length]) => unit.repeat(length)),
      fc.constantFrom(undefined, null, true, 1, 'quote', 'support', '', ' ', ' Pat ', '(202) 555-0123\n'),
    )
    const changeOf = (name: string) => {
      const fitting = patternsOf(name) && fc.stringMatching(new RegExp(patternsOf(name).replace('^$|', '')))
      const value = fitting ? fc.oneof({ weight: 6, arbitrary: fitting }, odd) : odd
      return value.map((changed): [string, unknown] => [name, changed])
    }
    const changes = (base: Body) => {
      const names = [...Object.keys(base), 'formType', 'extra', '__proto__']
      return fc.tuple(fc.constant(base), fc.array(fc.oneof(...names.map(changeOf)), { minLength: 1, maxLength: 4 }))
    }
    let accepted = 0
    fc.assert(
      fc.property(fc.oneof(changes(quote), changes(contact)), ([base, changed]) => {
        const body: Body = Object.assign(Object.create(null), base)
        for (const [name, value] of changed) {
          if (value === undefined) delete body[name]
          else body[name] = value
        }
        // No pattern in ASCII can name every character that nobody sees.
        if (!isLead(body) || Object.values(body).some(isAbsent)) return
        accepted++
        assert.deepEqual(faultsOf(body), [])
      }),
      { numRuns: 2_000 },
    )
    assert(accepted > 500, `only ${accepted} of the generated bodies fit the schema`)
  })

  test('accepts only idempotency keys that the service takes', () => {
    const { schema } = openapi.components.parameters.IdempotencyKey
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(schema.pattern)), (key) => {
        assert.deepEqual(parseIdempotencyKey(key, false), { key })
      }),
    )
  })

  test('has short patterns of printable ASCII, which Go, Python and Rust read too', () => {
    assert(patterns.length >= 6)
    for (const pattern of patterns) {
      assert.match(pattern, /^[ -~]{1,160}$/)
      assert.doesNotMatch(pattern, /(?<!\\)\(\?[^:]|\\[a-wyzA-Z]/, 'look-around, named groups and class escapes differ')
    }
  })
})

test('every property and parameter of /openapi.json has an example that is valid', () => {
  const check = (name: string, schema: object, example: unknown) => {
    assert.notEqual(example, undefined, name)
    const valid = compile(schema)
    assert(valid(example), `${name}: ${JSON.stringify(valid.errors)}`)
  }
  const walk = (where: string, properties: Record<string, Property> = {}) => {
    for (const [name, property] of Object.entries(properties)) {
      if (property.$ref) continue
      check(`${where}.${name}`, property, property.example)
      walk(`${where}.${name}`, property.properties)
    }
  }
  for (const [name, { properties }] of Object.entries<Property>(openapi.components.schemas)) walk(name, properties)
  type Parameter = { name: string; schema: object; example: unknown }
  for (const { name, schema, example } of Object.values<Parameter>(openapi.components.parameters))
    check(name, schema, example)
})
