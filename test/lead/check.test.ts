import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { checkLead } from '../../src/lead/check.ts'
import { type Body, bodyOf, contact, goodCases, options, quote, refusal } from '../support/submissions.ts'

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
    const html = { name: 'O&amp;#39;Neill', service: '&quot;A&quot; &AMP;amp; b', notes: '&amp;' }
    const { name, service, notes } = checkLead({ ...quote, ...html }, options).content
    assert.deepEqual([name, service, notes], ["O'Neill", '"A" & b', '&amp;'])
  })

  test('treats a member named __proto__ as unknown, and one named toString as a value', () => {
    const body = JSON.parse(JSON.stringify(quote).replace('{', '{"__proto__":{"communicationsConsent":true},'))
    assert.deepEqual(refusal(body).faults[0]?.pointer, '#/__proto__')
    assert.equal(refusal({ ...contact, phone: null, formType: { toString: 1 } }).faults[0]?.code, 'invalid_type')
  })

  test('refuses the other kind when the transport determines the kind', () => {
    assert.equal(refusal({ ...quote, formType: 'support' }, { kind: 'quote' }).faults[0]?.code, 'invalid_value')
    assert.equal(checkLead({ ...contact, formType: undefined }, { ...options, kind: 'support' }).kind, 'support')
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
  // These texts come from the packages of the lock file, so one may arrive with an update.
  const check = (body: Body) =>
    assert.doesNotThrow(() => checkLead(body, { ...options, acceptTestLeads: false }), JSON.stringify(body))
  for (const notes of texts) check({ ...real, notes, service: notes.slice(0, 50).replace(/[{}<>[\]%]/g, '~') })
  for (const [at, name] of [...names].entries())
    check({ ...real, name, notes: `${at * 97} ${name} St, Apt ${at}, Springfield ${90_000 + at * 7}` })
})
