import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decodeEvidence, decodePersonal } from '../../src/consent/evidence-texts.ts'
import { checkLead } from '../../src/lead/check.ts'
import { LeadError } from '../../src/lead/error.ts'
import { contentHash, keyHash, sha256 } from '../../src/lead/fingerprint.ts'
import { parseIdempotencyKey } from '../../src/lead/idempotency-key.ts'
import type { NewLead } from '../../src/lead/submission.ts'
import { createSubmit } from '../../src/lead/submit.ts'
import { consent, createTexts, origin } from '../support/evidence.ts'
import { type Body, contact, nowMs, options, quote } from '../support/submissions.ts'

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

suite('parseIdempotencyKey', () => {
  test('accepts 255 characters, not counting escapes, and everything that may be quoted', () => {
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
      assert.equal(parseIdempotencyKey(field, false), key)
    for (const key of ['<msg-17@mail.example>', '[42]', '{8f14e45f}'])
      assert.equal(parseIdempotencyKey(key, false), key)
  })

  test('refuses everything else, and says if a template was not filled in', () => {
    const fields = [
      ...['a b', 'a,b', 'a;b', 'a\\b', '(a, b', 'a, b)', 'a, b', '"a", "b"', '"', '"a', 'a"', '"a\\b"', 'a"b",'],
      ...['', 'x'.repeat(256), `"${'x'.repeat(256)}"`, `${'x'.repeat(255)} `, '""', '"a";p=1', 'k\u00e9y', '"\u0000"'],
    ]
    const refuses = (field: string, acceptsSamples: boolean, hint: RegExp) => {
      const fault = parseIdempotencyKey(field, acceptsSamples)
      assert(fault instanceof LeadError)
      assert.match(`${fault.code} ${fault.hint}`, hint, field)
    }
    for (const field of fields) refuses(field, true, /^idempotency_key_invalid .*without spaces/)
    const templates = '{{key}} "\u0024{key}" undefined null None lead-{{id}} ={{$execution.id}} <uuid> {id} [lead] %id%'
    const hint = /^idempotency_key_invalid .*every lead would have the same one/
    const partly = 'lead-undefined undefined_42 a*|MERGE1|* @{id}-1 $json.id a-#REF!'.split(' ')
    for (const field of [...templates.split(' '), ...partly, '"x-[object Object]"']) refuses(field, true, hint)
    for (const sample of ['a-new-uuid-for-each-lead', 'A NEW UUID', 'your_idempotency_key', 'uuid', 'string', 'Test'])
      for (const field of [sample, `"${sample}"`]) {
        refuses(field, false, hint)
        assert.equal(parseIdempotencyKey(field, true), sample)
      }
  })
})

const settings = {
  now: () => nowMs,
  acceptTestLeads: true,
  duplicateWindowHours: 24,
  wording: consent.wording,
  createTexts,
}

test('a wording that cannot be looked up fails a quote request, after its other faults, but never a message', async () => {
  const store = {
    findWording: () => Promise.reject(new Error('down')),
    add: async () => ({ kind: 'created' }) as const,
  }
  const submit = createSubmit({ store, ...settings })
  const stated = { origin: { ...origin, consentVersion: '2026-01-01-0a1b2c3d' } }
  const send = (candidate: Body, idempotencyKey = '1') => submit({ candidate, ...stated, idempotencyKey })
  assert.equal((await send(contact)).outcome, 'created')
  await assert.rejects(send({ ...quote, phone: '1' }), { code: 'validation_failed' })
  await assert.rejects(send(quote, 'a b'), { code: 'idempotency_key_invalid' })
  await assert.rejects(send(quote), { message: 'down' })
})

test('submit passes the lead with its consent record, hashes and windows to the store', async () => {
  let lead: NewLead | undefined
  const add = async (given: NewLead) => {
    lead = given
    return { kind: 'created' } as const
  }
  const submit = createSubmit({ store: { findWording: async () => undefined, add }, ...settings })
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
