// An error must be enough for a misinformed caller to correct its submission (docs/specification.md §5).
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Fault, pointerTo } from '../../src/lead/error.ts'
import { leadRules } from '../../src/lead/rules.ts'
import type { LeadKind } from '../../src/lead/submission.ts'
import { type Body, contact, quote } from '../support/submissions.ts'
import { refusal } from './refusal.ts'

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

suite('a member under another name', () => {
  const names: [body: Body, field: string, others: string][] = [
    [quote, 'name', 'fullName full-name Name NAME nam nmae'],
    [quote, 'phone', 'phoneNumber phone_number mobile Phone(mobile) fields[phone] phone[0] mobilephone phnoe phon'],
    [quote, 'email', 'emailAddress eMail e-mail your-email emial'],
    [quote, 'bedrooms', 'beds bedroom num_bedrooms numberOfBedrooms number-of-beds #_of_Bedrooms bedroms'],
    [quote, 'bathrooms', 'baths bathroom_count No._of_Baths bathroms'],
    [quote, 'service', 'serviceType servcie services'],
    [quote, 'notes', 'comments description message nots'],
    [quote, 'consentTimestamp', 'consent_timestamp consentTime'],
    [quote, 'pageUrl', 'page_url pageURL url'],
    [contact, 'helpWith', 'help_with topic subject helpWiht'],
    [contact, 'message', 'body text mesage'],
  ]
  test('is recognized, and the field is then not reported as missing', () => {
    for (const [body, field, others] of names)
      for (const other of others.split(' ')) {
        const { pointer, code, suggestion, hint } = only(renamed(body, { [field]: other }))
        assert.deepEqual([pointer, code, suggestion], [pointerTo(other), 'unknown_field', field], other)
        assert.equal(hint, `Rename this member to \`${field}\`.`, other)
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
  const isHeader = (header: string) => new RegExp(`^This is a header: send it as \`${header}\`, not in the body\\.$`)
  const moveTo = (field: string) =>
    new RegExp(
      `^Unknown field\\. Move the customer's words to the right field or \`${field}\`; drop the rest\\. Send no test, .*outside .*an opt-out; no quote .*refuses calls, .*no payment`,
    )
  const denied = /^If the customer says no to even one .* no quote .* withdraw .* say so .* put what they said into `/
  const unwrap = /^Take the members out of this object: the fields belong at the top level\. Any other errors/
  const unwrapText = /^This lead is a string\. Send the object itself, not its text/
  const notTrue = /It must be the JSON value true, not a string, number, list or object\.$/
  const otherKind = /^Leave formType out for a quote, or send "support" .* fields: name, .*A quote request needs name/
  const about = /^To ask about, .* erase .*, send nothing: .* \{\{contact\}\}\. To .* opt out, .* message .* Otherwise/
  const ofPrograms = '_wpcf7 gform_submit is_submit_1 Entry(ID) Submitted_At user_ip IP-Address utm_source apiKey'
  const hints: [hint: RegExp, ...bodies: Body[]][] = [
    [moveTo('notes'), { ...quote, pets: 'two' }, ...[{ pets: 2 }, [], null].map((extra) => ({ ...quote, extra }))],
    [moveTo('notes'), ...['{ not a lead }', '{"pets":2}', 'name: Pat'].map((extra) => ({ ...quote, extra }))],
    [moveTo('message'), { ...contact, pets: 'two' }],
    [/^Map the member to the field/, { ...quote, input_2: 'x' }, { ...contact, 'input_2.3': 'x' }],
    [/^Remove the member: a lead/, ...ofPrograms.split(' ').map((extra) => ({ ...quote, [extra]: 'x' }))],
    [isHeader('Idempotency-Key'), { ...quote, 'Idempotency-Key': 'x' }, { ...quote, idempotency_key: 'x' }],
    [isHeader('Consent-Version'), { ...quote, consentVersion: 'x' }, { ...quote, 'Consent-Version': 'x' }],
    [about, ...'lead_id id bookingId action cancel new_date revoke'.split(' ').map((id) => ({ ...quote, [id]: 'x' }))],
    [notTrue, ...['true', 1, [true]].map((communicationsConsent) => ({ ...quote, communicationsConsent }))],
    [
      /^Tell the customer the wording.* Silence is not consent.*The wording is \{\{wordingPlace\}\}\.$/,
      { ...quote, communicationsConsent: false },
    ],
    [
      /^Remove the member: a contact message has no consent field\.$/,
      ...[true, '1', 'on'].map((communicationsConsent) => ({ ...contact, communicationsConsent })),
    ],
    [
      denied,
      { ...contact, communicationsConsent: 0 },
      { ...quote, smsConsent: 'no' },
      { ...quote, doNotCall: true },
      { ...contact, sms_opt_out: 'yes' },
      { ...quote, emailOnly: true },
      { ...quote, consent: { sms: false } },
    ],
    [unwrap, ...['lead', 'data', 'quote', 'payload'].flatMap((in_) => [{ [in_]: quote }, { [in_]: contact }])],
    [unwrap, { customer: { name, phone, email }, ...home }],
    [/out of this list: the fields belong at the top level, and/, { ...quote, leads: [quote] }],
    // The last two are no JSON: a text in single quotes, and one that was cut off.
    [unwrapText, { body: ` ${text}` }, { body: text.replaceAll('"', "'") }, { body: text.slice(0, 90) }],
    [unwrapText, { data: JSON.stringify(contact) }],
    [
      otherKind,
      ...['contact', 'Support', 3].flatMap((kind) => [contact, quote, {}].map((b) => ({ ...b, formType: kind }))),
    ],
    [/^Rename this member to `bedrooms`\. Send a string such as/, { ...renamed(quote, { bedrooms: 'beds' }), beds: 3 }],
    [/^Rename this member to `phone`\. .*area code/, { ...renamed(quote, { phone: 'mobile' }), mobile: '5550123' }],
    [/^Rename this member to `formType`\. .*send "support"/, { ...quote, form_type: 'contact', bedrooms: '1' }],
    [/^Rename this member to `formType`\.$/, { ...quote, form_type: 'quote' }, { ...message, form_type: 'support' }],
    [/a string such as "3" \("0" for a studio/, { ...quote, bedrooms: 3 }],
    [/^Send the string itself, not a list/, { ...quote, bedrooms: ['3'] }],
    [/^Send one string, not a list/, { ...contact, message: ['Hello', 'there'] }],
    [/^There are two numbers/, { ...quote, phone: '202-555-0123/+1 202-555-0145' }],
    [/^Send these as headers/, { ...quote, headers: { 'Consent-Version': 'x' } }],
    [/or leave the field out/, { ...quote, consentTimestamp: 1 }, { ...quote, pageUrl: 1 }],
  ]
  for (const [hint, ...bodies] of hints)
    test(hint.source.slice(0, 70), () => {
      for (const body of bodies) assert.match(only(body).hint, hint)
    })

  test('has no example that could be taken for data, if a field is missing or has the wrong type', () => {
    const hint = /^((?![0-9]{3}|@example).)*string((?![0-9]{3}|@example).)*if unknown, ask the customer/
    for (const [kind, body] of Object.entries({ quote, support: contact }) as [LeadKind, Body][])
      for (const { name: field } of leadRules[kind].filter(({ required, type }) => required && type === 'string'))
        for (const value of [undefined, 3]) assert.match(only({ ...body, [field]: value }).hint, hint)
  })
})

suite('a value with a common mistake gets its hint, and a similar one does not:', () => {
  const foreign = [
    ...['+44 20 7946 0018', '44 20 7946 0018', '0044 20 7946 0018', '011 44 20 7946 0018', '+52 55 1234 5678'],
    ...['52 55 1234 5678', '07700 900123', 'tel:+44-20-7946-0018', '+44 (0)20 7946 0018 ext. 12'],
  ]
  const neverDrop = /^Never drop a country code other than \+1: .* send nothing, and give them \{\{contact\}\}\.$/
  const noCount = /^Send a string such as .*; if unknown, ask the customer; their estimate will do\.$/
  const offsets = ['2026-11-20T10:00:00+01:00', '2026-11-20T10:00:00.123-0500']
  const spoken = ['pat at example dot com', 'p a t at example.com', 'pat [at] a [dot] com', 'p a t dot doe@example.com']
  const extensions = ['202-555-0123 x4', '+1 (202) 555-0123, ext. 12', '2025550123#7', '1 202 555 0123 extension: 9']
  const mistakes: [field: string, values: string[], hint: RegExp, other?: string][] = [
    ['phone', ['555-0123', '5550123', ' (555) 0123 '], /ask for the area code; never guess it/, '20255501'],
    ['phone', foreign, neverDrop, '20255501'],
    ['phone', extensions, /^Send the ten digits alone\. .*an extension: put it into `notes`\.$/],
    ['email', ['pat @example.com', 'pat@\u00a0example.com'], /^The address has a space inside: ask/, 'Pat <a@b.com>'],
    ['email', spoken, /join letters that were spelled out, and read it back/],
    ['email', ['zoë@example.com', 'pat@bücher.example'], /^The address has letters outside ASCII: /, 'pat'],
    ['email', ['pat', 'pat.example.com'], /^The address has no @: .*never correct it yourself\.$/, 'pat@example'],
    ['email', ['pat@example,com'], /^The domain has a comma: ask/, 'a@b.com, c@d.com'],
    ['email', ['a@b.com, c@d.com', 'a@@example.com'], /^The value has more than one @/, 'Pat <a@b.com>'],
    ['email', ['pat@example'], /^The domain has no dot: ask/, 'pat@example..com'],
    ['email', ['pat@example..com', 'Pat <a@b.com>'], /never correct it yourself\.$/],
    ['notes', ['My card is 4111 1111 1111 1111.'], /^Remove the card.*access codes \(door, alarm\) must never be sent/],
    ['consentTimestamp', offsets, /convert the time to UTC, ending in Z, or leave `consentTimestamp` out/, 'yesterday'],
    ['bedrooms', ['three'], noCount],
    ['bathrooms', ['three'], noCount],
  ]
  for (const [field, values, hint, other] of mistakes)
    test(`${field}: ${hint.source.slice(0, 70)}`, () => {
      for (const value of values) assert.match(only({ ...quote, [field]: value }).hint, hint)
      if (other) assert.doesNotMatch(only({ ...quote, [field]: other }).hint, hint)
    })
})

suite('all faults are in one answer', () => {
  const half = { ...quote, beds: '3', bedrooms: undefined, phone: '1' }
  const asText = JSON.stringify({ ...quote, phone: '1' })
  const cases: [what: string, body: Body, ...entries: string[]][] = [
    ['a message without formType', message, '#/formType required'],
    ['and its text elsewhere', renamed(message, { message: 'body' }), '#/formType required', '#/body unknown_field'],
    ['and other faults', { ...message, phone: '1' }, '#/formType required', '#/phone invalid_phone'],
    ['a message in a wrapper', { data: message }, '#/formType required', '#/data unknown_field'],
    ['what stands outside wins', { lead: half, phone: '2025550123' }, '#/beds unknown_field', '#/lead unknown_field'],
    ['a lead as text', { body: asText }, '#/phone invalid_phone', '#/body unknown_field'],
    ['also alone in a field', { notes: asText }, '#/phone invalid_phone', '#/notes unknown_field'],
    ['another kind', { ...contact, formType: 'x', phone: '1' }, '#/formType invalid_value', '#/phone invalid_phone'],
    ['a field is no wrapper', { ...quote, name: { name: 'Pat' } }, '#/name invalid_type'],
    ['free text is no wrapper', { ...quote, service: 3, notes: '{"name":"Pat"}' }, '#/service invalid_type'],
  ]
  for (const [what, body, ...entries] of cases) test(what, () => assert.deepEqual(codesOf(body), entries))

  test('consent is first, is not taken over from another name, and a wrapper gives none', () => {
    for (const other of ['consent', 'f[consent][]', 'optIn', 'Consent (Consent)', 'I agree to be told']) {
      const [first, second] = refusal(renamed(quote, { communicationsConsent: other })).faults
      assert.deepEqual([first?.code, second?.pointer], ['consent_required', pointerTo(other)])
      assert.equal(second?.suggestion, 'communicationsConsent')
      assert.match(second.hint, /true .*only after .* explicit yes/)
    }
    const wrapped = refusal({ lead: { ...quote, communicationsConsent: 'true' } })
    assert.equal(wrapped.faults[0]?.pointer, '#/communicationsConsent')
  })

  test('a customer who says no is the first, and for any other the hints count', () => {
    const { faults, hint } = refusal({ ...message, communicationsConsent: false })
    assert.match(`${faults[0]?.hint}`, /^If the customer says no/)
    assert.match(`${hint}`, /even one of calls, .*: send no quote request, .*any other customer: Follow the/)
  })

  test('the members of a name are joined, and then the name is not missing', () => {
    const { faults } = refusal({ ...quote, name: undefined, 'Name (First)': 'Pat', last_name: 'Example' })
    assert.equal(faults.length, 2)
    for (const { hint } of faults) assert.equal(hint, 'The name is one field: join its parts into `name`.')
  })

  test('a message without formType is told only about messages, unless nothing shows it to be one', () => {
    const { faults } = refusal({ ...message, email: undefined })
    assert.match(`${faults[0]?.hint}`, /formType "support".*name, email, phone, helpWith, message/)
    assert.doesNotMatch(JSON.stringify(faults), /bedrooms|bathrooms|communicationsConsent|notes/)
    const body = { name: 'Pat', inquiry: 'Please call' }
    const guessed = /^The body was read as a quote request; a message needs formType "support"\. .*errors/
    assert.match(`${refusal(body).hint}`, guessed)
    assert.match(`${refusal({ ...message, formType: 'quote' }).hint}`, guessed)
    assert.match(`${refusal({ ...quote, formType: 'support' }).hint}`, /^The body was read as a message; if a quote/)
    assert.equal(refusal({ ...body, beds: '3' }).hint, undefined)
    const service = { ...body, serviceType: 'Deep', message: 'Please call' }
    for (const home of [{ ...body, beds: '3' }, service]) assert.equal(codesOf(home)[0]?.slice(-16), 'consent_required')
  })

  test('the summary names the fields, and counts unknown members only if there are any', () => {
    const change = { communicationsConsent: false, phone: '1', pets: 'two', extra: 'x' }
    const summary = '4 fields need attention: communicationsConsent, phone, 2 unknown members.'
    assert.equal(refusal({ ...quote, ...change }).message, summary)
    assert.equal(refusal({ ...quote, phone: '1' }).message, '1 field needs attention: phone.')
  })
})
