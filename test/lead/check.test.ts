import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { createValidator } from '@bufbuild/protovalidate'
import fc from 'fast-check'
import { checkLead } from '../../src/lead/check.ts'
import { LeadError } from '../../src/lead/error.ts'
import { leadMessages, leadRules } from '../../src/lead/rules.ts'
import type { LeadKind } from '../../src/lead/submission.ts'
import { badCases, bodyOf, contact, goodCases, nowMs, quote } from '../support/submissions.ts'

const options = { nowMs, acceptTestLeads: true } as const

function refusal(run: () => unknown): LeadError {
  try {
    run()
  } catch (error) {
    assert(error instanceof LeadError)
    return error
  }
  return assert.fail('was accepted')
}

suite('checkLead', () => {
  test('truncates a member name that is long or grows when escaped', () => {
    const pointers = [
      'é'.repeat(9_500),
      '~/'.repeat(5_000),
      '\ud800'.repeat(9_000),
      '😀'.repeat(5_000),
      'x'.repeat(120),
    ].map((name) => refusal(() => checkLead({ ...quote, [name]: 1 }, options)).faults[0]?.pointer ?? '')
    const ellipsis = encodeURIComponent('…')
    assert.deepEqual(pointers, [
      `#/${'%C3%A9'.repeat(20)}${ellipsis}`,
      `#/${'~0~1'.repeat(30)}${ellipsis}`,
      `#/${'%EF%BF%BD'.repeat(13)}${ellipsis}`,
      `#/${'%F0%9F%98%80'.repeat(10)}${ellipsis}`,
      `#/${'x'.repeat(120)}`,
    ])
  })

  for (const entry of goodCases) {
    test(`accepts ${entry.title}`, () => {
      const { kind, content } = checkLead(bodyOf(entry), options)
      assert.equal(content.formType, kind)
    })
  }

  for (const entry of badCases) {
    test(`refuses ${entry.title}`, () => {
      const error = refusal(() => checkLead(bodyOf(entry), options))
      assert.equal(error.code, entry.code ?? 'validation_failed')
      assert.deepEqual(
        error.faults.map(({ pointer, code }) => [pointer, code]),
        entry.errors,
      )
      for (const fault of error.faults) assert(fault.detail.length > 5 && fault.hint.length > 5)
    })
  }

  test('stores ten digits, trimmed text and a lowercase domain', () => {
    const { content } = checkLead({ ...quote, name: '  Pat ', phone: '+1 (415) 867-5309' }, options)
    assert.equal(content.name, 'Pat')
    assert.equal(content.phone, '4158675309')
    assert.equal(content.email, 'Pat.Example@example.com')
  })

  test('trims every kind of white space at the edges of a value', () => {
    const edge = '\r\n\t\v\f '
    for (const [name, value] of Object.entries({ bedrooms: '3', pageUrl: 'https://a.example/', name: 'Pat' })) {
      assert.equal(checkLead({ ...quote, [name]: `${edge}${value}${edge}` }, options).content[name], value, name)
    }
  })

  test('never puts a submitted value into an error', () => {
    const canary = 'canary-7d1f'
    const error = refusal(() =>
      checkLead(
        { ...quote, phone: canary, email: canary, bedrooms: canary, pageUrl: canary, formType: 'quote' },
        options,
      ),
    )
    assert(!JSON.stringify([error.message, error.faults]).includes(canary))
  })

  test('treats a member named __proto__ as unknown', () => {
    const body = JSON.parse(JSON.stringify(quote).replace('{', '{"__proto__":{"communicationsConsent":true},'))
    assert.deepEqual(refusal(() => checkLead(body, options)).faults[0]?.pointer, '#/__proto__')
  })

  test('ignores inherited members', () => {
    const error = refusal(() => checkLead(Object.create(quote), options))
    assert.equal(error.code, 'validation_failed')
    assert.equal(error.faults.length, 8)
  })

  test('refuses the other kind when the transport determines the kind', () => {
    assert.equal(
      refusal(() => checkLead({ ...quote, formType: 'support' }, { ...options, kind: 'quote' })).faults[0]?.code,
      'invalid_value',
    )
    assert.equal(checkLead({ ...contact, formType: undefined }, { ...options, kind: 'support' }).kind, 'support')
  })
})

suite('test data', () => {
  const real = { ...quote, phone: '4158675309', email: 'pat@brighthome.cleaning' }
  const reject = { nowMs, acceptTestLeads: false } as const
  const cases: [change: object, errors: string[]][] = [
    [{}, []],
    [{ email: 'a@example.com' }, ['reserved_domain']],
    [{ email: 'a@mail.EXAMPLE.org' }, ['reserved_domain']],
    [{ email: 'a@shop.test' }, ['reserved_domain']],
    [{ email: 'a@x.invalid' }, ['reserved_domain']],
    [{ email: 'a@x.localhost' }, ['reserved_domain']],
    [{ email: 'a@x.example' }, ['reserved_domain']],
    [{ email: 'a@notexample.com' }, []],
    [{ email: 'a@example.company' }, []],
    [{ email: 'a@test.org' }, []],
    [{ phone: '2025550100' }, ['reserved_phone']],
    [{ phone: '9075550199' }, ['reserved_phone']],
    [{ phone: '2025550099' }, []],
    [{ phone: '2025550200' }, []],
    [{ phone: '1158675309' }, ['unassignable_phone']],
    [{ phone: '4151675309' }, ['unassignable_phone']],
    [{ phone: '0158675309' }, ['unassignable_phone']],
    [{ phone: '4150675309' }, ['unassignable_phone']],
    [{ phone: '9118675309' }, ['unassignable_phone']],
    [{ phone: '4159118675' }, ['unassignable_phone']],
    [{ phone: '2025550123', email: 'a@example.net' }, ['reserved_phone', 'reserved_domain']],
  ]
  for (const [change, errors] of cases) {
    test(`${JSON.stringify(change)} ${errors.length ? `is ${errors.join(' and ')}` : 'passes'}`, () => {
      const body = { ...real, ...change }
      assert(checkLead(body, options))
      if (errors.length === 0) return assert(checkLead(body, reject))
      const error = refusal(() => checkLead(body, reject))
      assert.equal(error.code, 'test_lead_rejected')
      assert.deepEqual(
        error.faults.map((fault) => [fault.pointer, fault.code]),
        errors.map((code) => [code === 'reserved_domain' ? '#/email' : '#/phone', code]),
      )
    })
  }

  test("includes our samples' placeholders, unchanged", () => {
    const directory = join(import.meta.dirname, '../../src/site/content/samples')
    const sample = (file: string) =>
      JSON.parse(/\{\n[^}]*\n\}/.exec(readFileSync(join(directory, file), 'utf8'))?.[0] ?? '')
    for (const [file, base, fields] of [
      ['quote.sh', real, ['name', 'service', 'notes']],
      ['message.sh', { ...contact, phone: real.phone, email: real.email }, ['name', 'helpWith', 'message']],
    ] as const) {
      for (const field of fields) {
        const body = { ...base, [field]: ` ${sample(file)[field]} ` }
        assert(checkLead(body, options))
        const error = refusal(() => checkLead(body, reject))
        assert.equal(error.code, 'test_lead_rejected')
        assert.deepEqual(
          error.faults.map(({ pointer, code }) => [pointer, code]),
          [[`#/${field}`, 'placeholder']],
        )
        assert(checkLead({ ...base, [field]: `${sample(file)[field]}?` }, reject))
      }
    }
  })

  test('is checked after the fields', () => {
    assert.equal(
      refusal(() => checkLead({ ...real, email: 'a@example.com', bedrooms: 'x' }, reject)).code,
      'validation_failed',
    )
  })
})

suite('protovalidate as the oracle of the compiled checker', () => {
  const validator = createValidator()
  /** Rules that are code. protovalidate does not know them. */
  const meaning = new Set(['consentTimestamp', 'pageUrl'])

  function verdictOfOracle(kind: LeadKind, values: Record<string, unknown>): Set<string> {
    const schema = leadMessages[kind]
    const fields = schema.fields.filter((field) => Object.hasOwn(values, field.jsonName))
    const init = Object.fromEntries(fields.map((field) => [field.localName, values[field.jsonName]]))
    const result = validator.validate(schema, create(schema, init))
    assert.notEqual(result.kind, 'error')
    if (result.kind !== 'invalid') return new Set()
    return new Set(result.violations.map((violation) => String((violation.field[0] as { jsonName: string }).jsonName)))
  }

  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 230 }),
    fc.constantFrom(
      '2025550123',
      'a@example.com',
      '3',
      '5+',
      '2.5',
      '',
      '2026-11-20T10:00:00Z',
      'https://example.com/x',
      'a\nb',
      'a\u202eb',
    ),
    fc.stringMatching(/^[0-9]{9,11}$/),
    fc.stringMatching(/^[a-z.]{1,70}@[a-z-]{1,5}(\.[a-z]{1,4}){0,2}$/),
  )

  for (const kind of ['quote', 'support'] as const) {
    test(`both find the same invalid ${kind} fields in normalized values`, () => {
      const record = Object.fromEntries(
        leadRules[kind].map((rule) => [
          rule.name,
          fc.option<unknown>(rule.type === 'string' ? text : fc.boolean(), { nil: undefined }),
        ]),
      )
      fc.assert(
        fc.property(fc.record(record), (values) => {
          const given = Object.fromEntries(
            Object.entries(values).flatMap(([name, value]) => {
              if (value === undefined) return []
              // Values that normalization would change are not a matter for the rules.
              const trimmed = typeof value === 'string' ? value.trim() : value
              return [
                [
                  name,
                  name === 'phone' || name === 'email'
                    ? String(trimmed)
                        .toLowerCase()
                        .replace(/[ .()+-]/g, (c) => (name === 'email' ? c : ''))
                    : trimmed,
                ],
              ]
            }),
          )
          if (typeof given.phone === 'string' && /^1[0-9]{10}$/.test(given.phone)) given.phone = given.phone.slice(1)
          const oracle = verdictOfOracle(kind, given)
          let ours: Set<string>
          try {
            checkLead({ formType: kind, ...given }, options)
            ours = new Set()
          } catch (error) {
            ours = new Set((error as LeadError).faults.map((fault) => fault.pointer.slice(2)))
          }
          for (const name of meaning) if (ours.has(name) && !oracle.has(name)) ours.delete(name)
          assert.deepEqual([...ours].sort(), [...oracle].sort())
        }),
        { numRuns: 500 },
      )
    })
  }
})
