import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { checkLead } from '../../src/lead/check.ts'
import { parseUtcDateTime } from '../../src/lead/date-time.ts'
import { LeadError } from '../../src/lead/error.ts'
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

  test('accepts every good body, and finds in each bad one exactly its faults', () => {
    for (const entry of goodCases) {
      const { kind, content } = checkLead(bodyOf(entry), options)
      assert.equal(content.formType, kind, entry.title)
      assert.equal(content.phone, kind === 'quote' ? '2025550123' : '2025550145', entry.title)
    }
    for (const entry of badCases) {
      const error = refusal(() => checkLead(bodyOf(entry), options))
      assert.equal(error.code, entry.code ?? 'validation_failed', entry.title)
      const faults = error.faults.map(({ pointer, code }) => [pointer, code])
      assert.deepEqual(faults, entry.errors, entry.title)
      for (const fault of error.faults) assert(fault.detail.length > 5 && fault.hint.length > 5, entry.title)
    }
  })

  test('stores text trimmed of every kind of white space, a lowercase domain, and no field that was not sent', () => {
    const edge = '\r\n\t\v\f '
    for (const [name, value] of Object.entries({ bedrooms: '3', pageUrl: 'https://a.example/', name: 'Pat' })) {
      assert.equal(checkLead({ ...quote, [name]: `${edge}${value}${edge}` }, options).content[name], value, name)
    }
    const { pageUrl: _, ...short } = quote
    const { content } = checkLead({ ...short, email: 'Pat.O@Mail.EXAMPLE.Com' }, options)
    assert.equal(content.email, 'Pat.O@mail.example.com')
    assert(!('pageUrl' in content))
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
    const { faults } = refusal(() => checkLead({ ...quote, formType: 'x', phone: '1' }, { ...options, kind: 'quote' }))
    assert.deepEqual(
      faults.map(({ pointer }) => pointer),
      ['#/formType', '#/phone'],
    )
    const neither = refusal(() => checkLead({ formType: 'x', name: '' }, { ...options, kind: 'quote' }))
    assert.equal(neither.faults.length, 9)
    assert.equal(checkLead({ ...contact, formType: undefined }, { ...options, kind: 'support' }).kind, 'support')
  })
})

test('a date-time has a day that exists, counts a leap second as the next second, and has milliseconds', () => {
  for (const [text, time] of [
    ['0001-01-01T00:00:00Z', Date.parse('0001-01-01T00:00:00Z')],
    ['9999-12-31T23:59:59.999Z', Date.UTC(9999, 11, 31, 23, 59, 59, 999)],
    ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1)],
    ['2016-12-31t23:59:59.9999z', Date.UTC(2016, 11, 31, 23, 59, 59, 999)],
    ['2016-12-31T22:59:60Z', undefined],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
    ['1900-02-29T00:00:00Z', undefined],
    ['2026-04-30T00:00:00Z', Date.UTC(2026, 3, 30)],
    ...['2026-04-31', '2026-01-32', '2026-01-00', '2026-00-01', '2026-13-01', '2026-02-29', '2024-02-30'].map(
      (day) => [`${day}T00:00:00Z`, undefined] as const,
    ),
  ] as const)
    assert.equal(parseUtcDateTime(text), time, text)
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
  test('is what reserved names and numbers prove to be, and nothing else', () => {
    for (const [change, errors] of cases) {
      const body = { ...real, ...change }
      assert(checkLead(body, options))
      if (errors.length === 0) {
        assert(checkLead(body, reject))
        continue
      }
      const error = refusal(() => checkLead(body, reject))
      assert.equal(error.code, 'test_lead_rejected')
      assert.deepEqual(
        error.faults.map((fault) => [fault.pointer, fault.code]),
        errors.map((code) => [code === 'reserved_domain' ? '#/email' : '#/phone', code]),
      )
    }
  })

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
