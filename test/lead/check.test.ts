import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { createValidator } from '@bufbuild/protovalidate'
import fc from 'fast-check'
import { decodeEvidence, decodePersonal } from '../../src/consent/evidence-texts.ts'
import { checkLead } from '../../src/lead/check.ts'
import { checkValue } from '../../src/lead/check-value.ts'
import { contentHash, keyHash, sha256 } from '../../src/lead/fingerprint.ts'
import { parseIdempotencyKey } from '../../src/lead/idempotency-key.ts'
import { normalizeField } from '../../src/lead/normalize.ts'
import { type FieldRule, kindField, leadMessages, leadRules } from '../../src/lead/rules.ts'
import type { LeadKind, NewLead } from '../../src/lead/submission.ts'
import { createSubmit } from '../../src/lead/submit.ts'
import { consent, createTexts, origin } from '../support/evidence.ts'
import { type Body, bodyOf, contact, goodCases, nowMs, options, quote, refusal } from '../support/submissions.ts'

suite('the check of a lead', () => {
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
    assert.equal(refusal({ ...quote, bedrooms: { toString: 1 }, bathrooms: '-' }).faults[0]?.code, 'invalid_type')
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

const print = (body: object) => contentHash(checkLead({ ...body }, options))

test('the content hash depends on the kind and on every customer field', () => {
  const prints = new Set([print(quote), print(contact)])
  const changed = { phone: '2025550124', email: 'b@example.com', bedrooms: '4', bathrooms: '4' }
  for (const [name, value] of Object.entries(changed)) prints.add(print({ ...quote, [name]: value }))
  for (const name of ['name', 'service', 'notes']) prints.add(print({ ...quote, [name]: 'B' }))
  for (const name of ['name', 'helpWith', 'message']) prints.add(print({ ...contact, [name]: 'B' }))
  assert.equal(prints.size, 2 + 7 + 3)
  const shouted = { ...quote, name: 'PAT  JOSE\u0301', email: String(quote.email).toUpperCase() }
  assert.equal(print(shouted), print({ ...quote, name: 'Pat Jos\u00e9' }))
  // Nor may text move from one field to the next.
  assert.notEqual(print({ ...quote, service: 'ab', notes: 'c' }), print({ ...quote, service: 'a', notes: 'bc' }))
})

suite('an idempotency key', () => {
  test('may have 255 characters, not counting escapes, and everything that may be quoted', () => {
    const longest = 'x'.repeat(255)
    const unquoted = "!#$%&'()*+-./09:<=>?@AZ[]^_`az{|}~"
    for (const [field, key] of [
      [longest, longest],
      [`"${longest}"`, longest],
      [`"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
      [`"${unquoted}"`, unquoted],
      [unquoted, unquoted],
      ['"a b"', 'a b'],
      ['"a\\"b\\\\c"', 'a"b\\c'],
    ] as const)
      assert.deepEqual(parseIdempotencyKey(field, false), { key })
    for (const key of ['<msg-17@mail.example>', '[42]', '{8f14e45f}'])
      assert.deepEqual(parseIdempotencyKey(key, false), { key })
  })

  test('is refused otherwise, and the answer says if a template was not filled in', () => {
    const fields = [
      ...['a b', 'a,b', 'a;b', 'a\\b', '(a, b', 'a, b)', 'a, b', '"a", "b"', '"', '"a', 'a"', '"a\\b"', 'a"b",'],
      ...['', 'x'.repeat(256), `"${'x'.repeat(256)}"`, `${'x'.repeat(255)} `, '""', '"a";p=1', 'k\u00e9y', '"\u0000"'],
    ]
    const refuses = (field: string, acceptsSamples: boolean, hint: RegExp) => {
      const { key, keyHint = '' } = parseIdempotencyKey(field, acceptsSamples)
      assert.equal(key, undefined, field)
      assert.match(keyHint, hint, field)
    }
    for (const field of fields) refuses(field, true, /without spaces/)
    const templates = '{{key}} "\u0024{key}" undefined null None lead-{{id}} ={{$execution.id}} <uuid> {id} [lead] %id%'
    const hint = /every lead would have the same one/
    const partly = 'lead-undefined undefined_42 a*|MERGE1|* @{id}-1 $json.id a-#REF!'.split(' ')
    for (const field of [...templates.split(' '), ...partly, '"x-[object Object]"']) refuses(field, true, hint)
    for (const sample of ['a-new-uuid-for-each-lead', 'A NEW UUID', 'your_idempotency_key', 'uuid', 'string', 'Test'])
      for (const field of [sample, `"${sample}"`]) {
        refuses(field, false, hint)
        assert.deepEqual(parseIdempotencyKey(field, true), { key: sample })
      }
  })
})

test('a lead is stored with the evidence of consent, and both windows of 24 hours', async () => {
  let lead: NewLead | undefined
  const add = async (given: NewLead) => {
    lead = given
    return { kind: 'created' } as const
  }
  const submit = createSubmit({
    store: { findWording: async () => undefined, add },
    ...{ now: () => nowMs, acceptTestLeads: true, duplicateWindowHours: 24, wording: consent.wording, createTexts },
  })
  const longAgent = { ...origin, userAgent: `${'x'.repeat(511)}😀` }
  const { outcome, receipt } = await submit({ candidate: quote, idempotencyKey: '"k"', origin: longAgent })
  assert(lead)
  assert.equal(outcome, 'created')
  assert.deepEqual(receipt, { id: lead.id, formType: 'quote', receivedAt: '2026-11-21T09:30:00.000Z' })
  assert.equal(lead.contentUntil, '2026-11-22T09:30:00.000Z')
  assert.equal(lead.keyUntil, '2026-11-22T09:30:00.000Z')
  assert.equal(lead.keyHash, keyHash(origin.keyScope, 'k'))
  const { clientAddress, requestId } = origin
  const userAgent = `${'x'.repeat(511)}\ufffd`
  const { random, ...personal } = decodePersonal(lead.personal)
  assert.deepEqual(personal, { content: { ...checkLead(quote, options).content }, clientAddress, userAgent })
  assert.match(random, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  assert.deepEqual(decodeEvidence(lead.evidence), {
    ...{ id: receipt.id, kind: 'quote', receivedAt: receipt.receivedAt, requestId },
    ...{ communicationsConsent: true, consentTimestamp: quote.consentTimestamp },
    ...{ path: 'rest-v1', purpose: 'contact about this quote request' },
    wordingVersion: consent.wording.version,
    wordingSha256: consent.wording.sha256,
    businessSha256: consent.business.sha256,
    statementSha256: consent.statement.sha256,
    personalSha256: sha256(lead.personal),
  })
})

/** Texts around the bounds of a rule: of its pattern, almost of it, and too long. */
function textsFor({ name, pattern, maxLength }: FieldRule): fc.Arbitrary<string> {
  const any = fc.string({ unit: 'grapheme' })
  const good = pattern ? fc.stringMatching(new RegExp(pattern.source.replace(/^\^|\$$/g, '')), { size: 'small' }) : any
  const near = fc
    .tuple(good, fc.nat(8), fc.constantFrom(...'0-.@:/ +x'))
    .map(([text, at, added]) => text.slice(0, at) + added + text.slice(at))
  const long = fc.constantFrom(0, 1).map((more) => 'é'.repeat(Math.min(maxLength, 9_000) + more))
  return fc.oneof(any, good, near, long).map((text) => normalizeField(name, text))
}

test('the compiled rules judge each field as protovalidate does', () => {
  const validator = createValidator()
  for (const [kind, body] of Object.entries({ quote, support: contact }) as [LeadKind, typeof quote][]) {
    const { [kindField]: _, ...good } = checkLead(body, options).content
    for (const rule of leadRules[kind]) {
      const values = rule.type === 'string' ? textsFor(rule).filter(Boolean) : fc.boolean()
      fc.assert(
        fc.property(fc.option<unknown>(values, { nil: undefined }), (value) => {
          const { kind: verdict } = validator.validate(
            leadMessages[kind],
            create(leadMessages[kind], { ...good, [rule.name]: value }),
          )
          const result = checkValue(rule, value, nowMs)
          // Judged by code alone: placeholders, payment cards, and whether a date exists.
          const isOurs =
            typeof result === 'object' &&
            (/placeholder|payment_card/.test(result.code) || (rule.name === 'consentTimestamp' && verdict === 'valid'))
          if (!isOurs) assert.equal(typeof result === 'object', verdict === 'invalid', `${rule.name}: ${value}`)
        }),
      )
    }
  }
})
