import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { checkLead } from '../../src/lead/check.ts'
import { type Body, bodyOf, contact, goodCases, quote } from '../support/submissions.ts'
import { options, refusal } from './refusal.ts'

suite('checkLead', () => {
  test('truncates a member name that is long or grows when escaped', () => {
    const ellipsis = encodeURIComponent('…')
    for (const [name, pointer] of [
      ['é'.repeat(9_500), `#/${'%C3%A9'.repeat(20)}${ellipsis}`],
      ['~/'.repeat(5_000), `#/${'~0~1'.repeat(30)}${ellipsis}`],
      ['\ud800😀'.repeat(5_000), `#/${'%EF%BF%BD%F0%9F%98%80'.repeat(5)}%EF%BF%BD${ellipsis}`],
      ['x'.repeat(120), `#/${'x'.repeat(120)}`],
    ] as const)
      assert.equal(refusal({ ...quote, [name]: 1 }).faults[0]?.pointer, pointer)
  })

  // test/e2e/parity.test.ts sends every good and every bad body through both listeners.
  test('stores ten digits of the phone number of every good body, a lowercase domain, and no field that was not sent', () => {
    for (const entry of goodCases) {
      const { kind, content } = checkLead(bodyOf(entry), options)
      assert.equal(content.formType, kind, entry.title)
      assert.equal(content.phone, kind === 'quote' ? '2025550123' : '2025550145', entry.title)
    }
    const { content } = checkLead({ ...quote, email: 'Pat.O＠Mail.ＥＸＡＭＰＬＥ.Com', pageUrl: undefined }, options)
    assert.deepEqual([content.email, 'pageUrl' in content], ['Pat.O@mail.example.com', false])
  })

  test('treats a member named __proto__ as unknown', () => {
    const body = JSON.parse(JSON.stringify(quote).replace('{', '{"__proto__":{"communicationsConsent":true},'))
    assert.deepEqual(refusal(body).faults[0]?.pointer, '#/__proto__')
  })

  test('refuses the other kind when the transport determines the kind', () => {
    assert.equal(refusal({ ...quote, formType: 'support' }, { kind: 'quote' }).faults[0]?.code, 'invalid_value')
    assert.equal(checkLead({ ...contact, formType: undefined }, { ...options, kind: 'support' }).kind, 'support')
  })
})

suite('test data', () => {
  const real = { ...quote, phone: '4158675309', email: 'pat@brighthome.cleaning' }
  const reject = { acceptTestLeads: false }
  const accepts = (body: object) => assert(checkLead({ ...body }, { ...options, ...reject }))
  /** Test data is taken where it is accepted, and refused elsewhere for these fields. */
  const refuses = (body: Body, faults: [pointer: string, code: string][]) => {
    assert(checkLead(body, options))
    const error = refusal(body, reject)
    assert.equal(error.code, 'test_lead_rejected')
    const found = error.faults.map(({ pointer, code }) => [pointer, code])
    assert.deepEqual(found, faults)
  }

  test('is what reserved names and numbers prove to be, and nothing else', () => {
    for (const [field, code, values] of [
      ['email', 'reserved_domain', 'a@example.com a@mail.EXAMPLE.org a@b.test a@b.invalid a@b.localhost a@b.example'],
      [
        'email',
        'placeholder',
        'noemail@noemail.com no@none.com NA@na.com test@test.org your@email.com your.name@domain.com',
      ],
      ['phone', 'reserved_phone', '2025550100 9075550199'],
      [
        'phone',
        'unassignable_phone',
        '1158675309 2955552368 5555552368 4151675309 0158675309 4150675309 9118675309 4159118675',
      ],
    ] as const)
      for (const value of values.split(' ')) refuses({ ...real, [field]: value }, [[`#/${field}`, code]])
    refuses({ ...real, phone: '2025550123', email: 'a@example.net' }, [
      ['#/phone', 'reserved_phone'],
      ['#/email', 'reserved_domain'],
    ])
    assert.equal(refusal({ ...real, email: 'a@example.com', bedrooms: 'x' }, reject).code, 'validation_failed')
    accepts(real)
    for (const email of ['a@notexample.com', 'a@test.org', 'none@gmail.com', 'test@email.com', 'no@brown.com'])
      accepts({ ...real, email })
    const assigned = '2025550099 2025550200 9898229299 2129872299 5512125309 18004117246 8339118675'
    for (const phone of assigned.split(' ')) accepts({ ...real, phone })
  })

  test('includes a whole name that says so, but no surname', () => {
    for (const name of ['Test', 'TEST user', 'test lead', 'Test  Customer', 'test test', 'QA Test'])
      refuses({ ...real, name }, [['#/name', 'placeholder']])
    for (const name of ['Jo Test', 'Test Fox', 'Test Test Fox', 'Testa', 'Jo Customer']) accepts({ ...real, name })
  })

  test("includes our samples' placeholders, unchanged", () => {
    const directory = join(import.meta.dirname, '../../src/site/content/samples')
    const sample = (file: string) =>
      JSON.parse(/\{\n[^}]*\n\}/.exec(readFileSync(join(directory, file), 'utf8'))?.[0] ?? '')
    for (const [file, base, fields] of [
      ['quote.sh', real, ['name', 'service', 'notes']],
      ['message.json', { ...contact, phone: real.phone, email: real.email }, ['name', 'helpWith', 'message']],
    ] as const) {
      for (const field of fields) {
        refuses({ ...base, [field]: ` ${sample(file)[field]} ` }, [[`#/${field}`, 'placeholder']])
        accepts({ ...base, [field]: `${sample(file)[field]}?` })
      }
      const left = refusal(sample(file), reject).faults.filter(({ code }) => code === 'placeholder')
      assert.equal(left.length, file === 'quote.sh' ? 7 : 5)
    }
  })
})

test('refuses none of thousands of texts, names and addresses that people have written', () => {
  const packages = join(import.meta.dirname, '../../node_modules')
  const read = (pattern: string) =>
    globSync(pattern, { cwd: packages }).map((file) => readFileSync(join(packages, file), 'utf8'))
  const paragraphs = read('{*,@*/*}/{README,CHANGELOG}.md').flatMap((text) => text.split(/\n\s*\n/))
  const texts = new Set(paragraphs.map((text) => text.trim()).filter((text) => text !== '' && text.length <= 5_000))
  const people = read('{*,@*/*}/package.json').flatMap((text) => {
    const { author, contributors = [] } = JSON.parse(text)
    return [author, ...contributors].map((one) => String(one?.name ?? one ?? '').replace(/\s*[<(].*/, ''))
  })
  const names = new Set(people.filter((name) => /^\p{L}{2}/u.test(name)))
  assert(texts.size > 5_000 && names.size > 100, `${texts.size} texts, ${names.size} names`)
  const real = { ...quote, phone: '4158675309', email: 'pat@brighthome.cleaning' }
  const check = (body: Body) => assert(checkLead(body, { ...options, acceptTestLeads: false }))
  for (const notes of texts) check({ ...real, notes, service: notes.slice(0, 50).replace(/[{}<>[\]%]/g, '~') })
  for (const [at, name] of [...names].entries())
    check({ ...real, name, notes: `${at * 97} ${name} St, Apt ${at}, Springfield ${90_000 + at * 7}` })
})
