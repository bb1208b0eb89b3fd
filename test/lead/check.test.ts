import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { checkLead } from '../../src/lead/check.ts'
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
    }
    for (const entry of badCases) {
      const error = refusal(() => checkLead(bodyOf(entry), options))
      assert.equal(error.code, entry.code ?? 'validation_failed', entry.title)
      const faults = error.faults.map(({ pointer, code }) => [pointer, code])
      assert.deepEqual(faults, entry.errors, entry.title)
      for (const fault of error.faults) assert(fault.detail.length > 5 && fault.hint.length > 5, entry.title)
    }
  })

  test('stores ten digits, trimmed text and a lowercase domain', () => {
    const { content } = checkLead({ ...quote, name: '  Pat ', phone: '+1 (415) 867-5309' }, options)
    assert.equal(content.name, 'Pat')
    assert.equal(content.phone, '4158675309')
    assert.equal(content.email, 'Pat.Example@example.com')
    const { pageUrl: _, ...short } = quote
    assert(!('pageUrl' in checkLead(short, options).content))
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
