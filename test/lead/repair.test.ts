// An error must be enough for a misinformed caller to correct its submission (docs/specification.md §5).
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Fault, pointerTo } from '../../src/lead/error.ts'
import { leadRules } from '../../src/lead/rules.ts'
import { fillSentence } from '../../src/lead/sentences.ts'
import type { LeadKind } from '../../src/lead/submission.ts'
import { faults, kindHints, memberDetails, memberHints, mistakeHints, sendHints } from '../../src/words/faults.ts'
import { type Body, contact, quote, refusal } from '../support/submissions.ts'

/** The body with some members renamed. */
function renamed(body: Body, names: Record<string, string>): Body {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [names[name] ?? name, value]))
}
/** The pointer and code of each fault of a body. */
const codesOf = (body: Body) => refusal(body).faults.map(({ pointer, code }) => `${pointer} ${code}`)
const only = (body: Body): Fault => {
  const { faults } = refusal(body)
  assert.equal(faults.length, 1, JSON.stringify(faults))
  return faults[0] as Fault
}
const { formType: _, ...message } = contact
/** A hint of the catalogue as the sender of a body gets it. */
const worded = (words: string, { formType }: Body) =>
  fillSentence(words, { freeText: formType === 'support' ? '`message`' : '`notes`' })

suite('a member under another name', () => {
  const names: [body: Body, field: string, others: string][] = [
    [quote, 'name', 'fullName full-name Name NAME nam nmae'],
    [
      quote,
      'phone',
      'data__phone q5_phone lead.phone phoneNumber phone_number mobile Phone(mobile) fields[phone] phone[0] mobilephone phnoe phon',
    ],
    [quote, 'email', 'emailAddress eMail e-mail your-email emial'],
    [
      quote,
      'bedrooms',
      'beds bedroom num_bedrooms numberOfBedrooms number-of-beds #_of_Bedrooms How_many_bedrooms? bedroms',
    ],
    [quote, 'bathrooms', 'baths bathroom_count No._of_Baths bathroms'],
    [quote, 'service', 'serviceType servcie services'],
    [quote, 'notes', 'comments description message nots'],
    [quote, 'consentTimestamp', 'consent_timestamp consentTime consent_at'],
    [quote, 'pageUrl', 'page_url pageURL url'],
    [contact, 'helpWith', 'help_with topic subject helpWiht'],
    [contact, 'message', 'body text mesage'],
  ]
  test('is recognized, and the field is then not reported as missing', () => {
    for (const [body, field, others] of names)
      for (const other of others.split(' ')) {
        const { pointer, code, suggestion, hint } = only(renamed(body, { [field]: other }))
        assert.deepEqual([pointer, code, suggestion], [pointerTo(other), 'unknown_field', field], other)
        const words = field === 'consentTimestamp' ? memberHints.rename_consent_time : memberHints.rename
        assert.equal(hint, fillSentence(words, { field }), other)
      }
  })

  test('gets no suggestion if it is not similar to any field, or its field was sent too or is of the other kind', () => {
    for (const other of ['naaame', 'n', 'x'.repeat(15_000)]) {
      const { faults } = refusal(renamed(quote, { name: other }))
      assert.deepEqual([faults[0]?.pointer, faults[1]?.pointer], ['#/name', pointerTo(other)])
      assert.equal(faults[1]?.suggestion, undefined)
    }
    assert.equal(only({ ...quote, fullName: 'Pat' }).suggestion, undefined)
    assert.equal(only({ ...contact, beds: '3' }).suggestion, undefined)
    // Two members cannot have the same name.
    const { faults } = refusal({ ...renamed(quote, { name: 'fullName' }), customerName: 'Pat' })
    assert.deepEqual([faults[0]?.suggestion, faults[1]?.suggestion, faults.length], ['name', undefined, 2])
  })
})

suite('the hint of a single fault', () => {
  const text = JSON.stringify(quote)
  const { name, phone, email, ...home } = quote
  const isHeader = (header: string) => fillSentence(memberHints.header, { header })
  const rename = (field: string) => fillSentence(memberHints.rename, { field })
  const moveTo = faults.unknown_field.hint
  const about = memberHints.about_stored
  const ofPrograms = '_wpcf7 gform_submit submit Entry(ID) Submitted_At Timestamp user_ip IP-Address utm_source apiKey'
  /** A body for each of the members, and one for each of the values of a member. */
  const each = (members: string, lead = quote) => members.split(' ').map((member) => ({ ...lead, [member]: 'x' }))
  const values = (member: string, all: unknown[], lead = quote) => all.map((value) => ({ ...lead, [member]: value }))
  /** Two fields as advertisements, form builders and voice services send them. */
  const pairs = (name: string, value: string) =>
    ['full_name', 'EMAIL'].map((field) => ({ [name]: field, [value]: 'x' }))
  const hints: [hint: string, ...bodies: Body[]][] = [
    [moveTo, ...each('shoes moveInDate'), ...each('shoes day', contact)],
    [moveTo, ...values('extra', [{ shoes: 2 }, [], null, '{ no lead }', '{"shoes":2}', 'name: Pat'])],
    [moveTo, ...each(ofPrograms), ...values('dryRun', [false])],
    [isHeader('Idempotency-Key'), ...each('Idempotency-Key idempotency_key')],
    [isHeader('Consent-Version'), ...each('consentVersion Consent-Version')],
    [about, ...each('lead_id id bookingId action cancel new_date revoke')],
    [faults.consent_required.hint, ...values('communicationsConsent', ['true', 1, [true], false])],
    [memberHints.name_part, ...each('first_name')],
    [memberHints.consent_elsewhere, ...values('communicationsConsent', [true, '1', 'on'], contact)],
    [memberHints.consent_elsewhere, ...values('smsConsent', [true])],
    [memberHints.consent_elsewhere, ...values('communicationsConsent', [false], { ...contact, helpWith: 'Opt out' })],
    [
      memberHints.consent_refused,
      ...each('smsConsent doNotCall emailOnly dnc HasOptedOut'),
      ...each('sms_opt_out', contact),
    ],
    [memberHints.consent_refused, { ...contact, communicationsConsent: 0 }, { ...quote, consent: { sms: false } }],
    [memberHints.inner, ...['lead', 'data', 'notes'].flatMap((at) => [{ [at]: quote }, { [at]: contact }])],
    [memberHints.inner, { data: [quote, quote] }, { a: { b: [{ c: { d: { e: contact } } }] } }, { body: ` ${text}` }],
    [memberHints.inner, { id: 7, params: { name: 'submitLead', arguments: quote } }],
    [
      `${memberHints.build} {{lead}}`,
      ...[{ params: { arguments: renamed(quote, { phone: 'tel' }) } }, { a: message }],
      { lead: { first_name: 'Pat', last_name: 'Fox', contact: { phone, email }, home } },
      { lead_id: '1', user_column_data: pairs('column_id', 'string_value') },
      { phone, a: { answers: pairs('label', 'values'), slots: { ...pairs('name', 'x') } } },
    ],
    [memberHints.object, { customer: { name, phone, email }, ...home }],
    [memberHints.object, { ...quote, leads: [quote] }, { ...quote, extra: { a: 1, name: 'Pat' } }],
    [memberHints.secret, ...each('gateCode access_code alarm-code lockboxCode password')],
    [memberHints.file, ...each('photos attachments files', contact)],
    [kindHints.other_value, ...[contact, quote, {}].flatMap((b) => values('formType', ['contact', 'Support', 3], b))],
    [`${rename('bedrooms')} ${sendHints.bedrooms}`, { ...renamed(quote, { bedrooms: 'beds' }), beds: 3 }],
    [`${rename('phone')} ${mistakeHints.phone_seven_digits}`, { ...quote, phone: undefined, mobile: '5550123' }],
    [rename('formType'), { ...quote, form_type: 'quote' }, { ...message, form_type: 'support' }],
    [sendHints.bedrooms, { ...quote, bedrooms: 3 }],
    [mistakeHints.list_of_texts, { ...quote, bedrooms: ['3'] }, { ...contact, message: ['Hello', 'there'] }],
    [memberHints.without_contact, ...values('helpWith', ['Cancel', 'Opt-out'], { ...contact, phone: null })],
    [memberHints.without_contact, { ...contact, message: 'Please cancel my visit', email: '' }],
    [sendHints.phone, { ...contact, message: 'Remove pet hair from the sofa: how much is it?', phone: '' }],
    [sendHints.phone, { ...contact, name: 'Stopford Brown', email: 'stopwatch@example.com', phone: '' }],
    [sendHints.consent_time, { ...quote, consentTimestamp: 1 }],
    [sendHints.page_url, { ...quote, pageUrl: 1 }],
  ]
  for (const [hint, ...bodies] of hints)
    test(hint.slice(0, 70), () => {
      for (const body of bodies) assert.equal(only(body).hint, worded(hint, body))
    })

  test('has no example that could be taken for data, if a field is missing or has the wrong type', () => {
    const hint = /^((?![0-9]{3}|@example).)*string((?![0-9]{3}|@example).)*if unknown, ask the customer/
    for (const [kind, body] of Object.entries({ quote, support: contact }) as [LeadKind, Body][])
      for (const { name: field } of leadRules[kind].filter(({ required, type }) => required && type === 'string'))
        for (const value of [undefined, 3]) assert.match(only({ ...body, [field]: value }).hint, hint)
  })
})

const foreign = [
  ...['+44 20 7946 0018', '44 20 7946 0018', '0044 20 7946 0018', '011 44 20 7946 0018', '+52 55 1234 5678'],
  ...['52 55 1234 5678', '07700 900123', 'tel:+44-20-7946-0018', '+44 (0)20 7946 0018 ext. 12'],
]
const offsets = ['2026-11-20T10:00:00+01:00', '2026-11-20T10:00:00.123-0500']
const spoken = [
  'pat arroba casa punto org',
  'pat at casa point org',
  'pat at example dot com',
  'p a t at example.com',
  'pat [at] a [dot] com',
  'p a t dot doe@example.com',
]
const extensions = ['202-555-0123 x4', '+1 (202) 555-0123, ext. 12', '2025550123#7', '1 202 555 0123 extension: 9']
const wordy = ['202-555-0123 (call after 5)', '202.555.0123 2pm', 'Call me at (202) 555-0123']
const bars = (text: string) => text.split(' | ')
const twoNumbers = bars(
  "202-555-0123/+1 202-555-0145 | 202-555-0123 or 202-555-0145 (Pat's) | 202-555-0123 or 0145 | 202-555-0123/24",
)
const signs = bars(
  'pat | pat.b.com | pat@b | pat@b..com | pat@b,com | a@127.0.0.1 | pat @example.com | pat@\u00a0example.com',
)
const twoAddresses = ['a@b.com, c@d.com', 'a@b.com or c@d.com', 'Pat <a@b.com>; Jo <c@d.com>', 'a@b.com/c@d.com (Jo)']
const mistakes: [field: string, values: string[], hint: string, other?: string][] = [
  ['phone', ['555-0123', '5550123', ' (555) 0123 '], mistakeHints.phone_seven_digits, '20255501'],
  ['phone', twoNumbers, mistakeHints.phone_two],
  ['phone', foreign, mistakeHints.phone_foreign, '20255501'],
  ['phone', [...extensions, ...wordy], mistakeHints.phone_words, '+44 20 7946 0018 2pm'],
  ['phone', ['2O2-555-0123', '1 202 555 Ol23', '1-800-FLOWERS'], mistakeHints.phone_letters],
  ['phone', ['2.025550123E+09', '2.03E+9', '202555012.0'], mistakeHints.phone_from_sheet],
  ['email', spoken, mistakeHints.email_spoken],
  ['email', ['zoë@example.com', 'pat@bücher.example'], mistakeHints.email_not_ascii, 'pat'],
  ['email', ['none', 'N/A', 'No email', '-', 'declined'], sendHints.email, 'nobody'],
  ['email', ['a@b.com, Pat', 'Pat <a@b.com>', 'a@@example.com'], faults.invalid_email.hint],
  ['email', twoAddresses, mistakeHints.email_two, 'p a t @ example.com'],
  ['email', signs, mistakeHints.email_signs, 'Pat <a@b.com>'],
  ['notes', ['My card is 4111 1111 1111 1111.'], faults.payment_card.hint],
  ['consentTimestamp', offsets, faults.invalid_date_time.hint],
  ['bedrooms', ['3-Feb', 'Mar-4', '2026-02-03', '2/3/2026'], mistakeHints.count_from_sheet],
  ['bathrooms', ['three', '2 full 1 half', '1.75'], faults.invalid_count.hint],
]
for (const [field, values, words, other] of mistakes)
  test(`a common mistake gets its hint, and a similar one does not: ${field}, ${words.slice(0, 70)}`, () => {
    const hint = worded(words, quote)
    for (const value of values) assert.equal(only({ ...quote, [field]: value }).hint, hint)
    if (other) assert.notEqual(only({ ...quote, [field]: other }).hint, hint)
  })

suite('all faults are in one answer', () => {
  const consent = 'communicationsConsent'
  const unknown = (name: string) => `#/${name} unknown_field`
  const half = { ...quote, beds: '3', bedrooms: undefined, phone: '1' }
  const asText = JSON.stringify({ ...quote, phone: '1' })
  const cases: [what: string, body: Body, ...entries: string[]][] = [
    ['a message without formType', message, '#/formType required'],
    ['and its text elsewhere', renamed(message, { message: 'body' }), '#/formType required', '#/body unknown_field'],
    ['and other faults', { ...message, phone: '1' }, '#/formType required', '#/phone invalid_phone'],
    ['a message that is called a quote', { ...message, formType: 'quote' }, '#/formType required'],
    ['the one with the most fields', { a: { name: 'x' }, lead: half, phone: '2025550123' }, '#/lead unknown_field'],
    ['inside a list and a text', { 'a/b': ['', { c: asText }] }, '#/a~1b/1/c unknown_field'],
    ['six objects deep', { a: { b: { c: { d: { e: { f: message } } } } } }, '#/a/b/c/d/e/f unknown_field'],
    ['another kind', { ...contact, formType: 'x', phone: '1' }, '#/formType invalid_value', '#/phone invalid_phone'],
    ["the customer's no comes first", { ...message, [consent]: false }, unknown(consent), '#/formType required'],
    ['a name in parts', { ...quote, name: '', First: 'x', lname: 'y' }, unknown('First'), unknown('lname')],
    ['a chat is no lead', { a: [{ role: 'user', content: 'Hi' }] }, ...codesOf({ a: 1 })],
    ['a name in two parts is no lead', { q3: { first: 'Pat', last: 'Example' } }, ...codesOf({ q3: 1 })],
    ['nor are values in objects', { a: { phone: { value: '1' }, email: { value: 'b' } } }, ...codesOf({ a: 1 })],
    ['a field is no wrapper', { ...quote, name: { name: 'Pat' } }, '#/name invalid_type'],
    ['free text is no wrapper', { ...quote, service: 3, notes: '{"name":"Pat"}' }, '#/service invalid_type'],
  ]
  for (const [what, body, ...entries] of cases) test(what, () => assert.deepEqual(codesOf(body), entries))

  test('consent is first, is said to be missing, and is not taken over from another name', () => {
    for (const other of ['consent', 'f[consent][]', 'optIn', 'Consent (Consent)', 'I agree to be told']) {
      const [first, second] = refusal(renamed(quote, { communicationsConsent: other })).faults
      assert.deepEqual([first?.code, first?.detail], ['consent_required', memberDetails.consent])
      assert.equal(refusal({ ...quote, communicationsConsent: false }).faults[0]?.detail, memberDetails.consent_false)
      assert.equal(second?.pointer, pointerTo(other))
      assert.equal(second?.suggestion, 'communicationsConsent')
      assert.equal(second.hint, memberHints.rename_consent)
    }
  })

  test('a message without formType is told only about messages, unless nothing shows that it is one', () => {
    const { faults } = refusal({ ...message, email: undefined })
    assert.match(`${faults[0]?.hint}`, /formType "support".*name, email, phone, helpWith, message/)
    assert.doesNotMatch(JSON.stringify(faults), /bedrooms|bathrooms|communicationsConsent|notes/)
    const body = { name: 'Pat', inquiry: 'Please call' }
    const sheet = { ...quote, bedrooms: 'N/A', bathrooms: '-' }
    for (const other of [body, sheet]) assert.equal(refusal(other).hint, fillSentence(kindHints.not_quote))
    assert.equal(refusal({ ...quote, formType: 'support' }).hint, fillSentence(kindHints.not_message))
    assert.equal(refusal({ ...body, beds: '3' }).hint, fillSentence('{{correct}}'))
    const service = { ...body, serviceType: 'Deep', message: 'Please call' }
    for (const home of [{ ...body, beds: '3' }, service]) assert.equal(codesOf(home)[0]?.slice(-16), 'consent_required')
  })

  test('the summary names the fields, and counts unknown members only if there are any', () => {
    const change = { communicationsConsent: false, phone: '1', shoes: 'two', extra: 'x' }
    const summary = '4 fields need attention: communicationsConsent, phone, 2 unknown members.'
    assert.equal(refusal({ ...quote, ...change }).message, summary)
    assert.equal(refusal({ ...quote, phone: '1' }).message, '1 field needs attention: phone.')
  })

  test('contacts for tests are not among them, but come first in the hint', () => {
    const { faults, hint } = refusal({ ...quote, notes: '' }, { acceptTestLeads: false })
    assert.deepEqual([faults.length, faults[0]?.pointer], [1, '#/notes'])
    assert.match(
      `${hint}`,
      /^If this is a test, send nothing: there is no sandbox.* phone, email must be real\. Follow/,
    )
    const noConsent = refusal({ ...quote, communicationsConsent: false }, { acceptTestLeads: false })
    assert.equal(noConsent.hint, 'Do what errors says.')
  })
})
