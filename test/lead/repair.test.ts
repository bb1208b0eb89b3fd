// An error must be enough for a misinformed caller to correct its submission (docs/specification.md §5).
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Fault, type LeadError, pointerTo } from '../../src/lead/error.ts'
import { leadRules } from '../../src/lead/rules.ts'
import type { LeadKind } from '../../src/lead/submission.ts'
import { memberHints, faults as words } from '../../src/words/faults.ts'
import { type Body, contact, quote } from '../support/submissions.ts'
import { refusal } from './refusal.ts'

/** The body with some members renamed. */
function renamed(body: Body, names: Record<string, string>): Body {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [names[name] ?? name, value]))
}

const entries = (error: LeadError) => error.faults.map(({ pointer, code }) => `${pointer} ${code}`)
const only = (body: Body): Fault => {
  const { faults } = refusal(body)
  assert.equal(faults.length, 1, JSON.stringify(faults))
  return faults[0] as Fault
}

suite('a member under another name', () => {
  const names: [body: Body, field: string, others: string][] = [
    [quote, 'name', 'fullName full-name Name NAME nam nmae'],
    [quote, 'phone', 'phoneNumber phone_number mobile phnoe phon'],
    [quote, 'email', 'emailAddress eMail e-mail emial'],
    [quote, 'bedrooms', 'beds bedroom num_bedrooms numberOfBedrooms number-of-beds bedroms'],
    [quote, 'bathrooms', 'baths bathroom_count bathroms'],
    [quote, 'service', 'serviceType servcie services'],
    [quote, 'notes', 'comments description message nots'],
    [quote, 'consentTimestamp', 'consent_timestamp consentTime'],
    [quote, 'pageUrl', 'page_url pageURL url'],
    [contact, 'helpWith', 'help_with topic subject helpWiht'],
    [contact, 'message', 'body text mesage'],
  ]
  test('is recognized, and the field is then not reported as missing', () => {
    for (const [body, field, others] of names) {
      for (const other of others.split(' ')) {
        const { pointer, code, suggestion, hint } = only(renamed(body, { [field]: other }))
        assert.deepEqual([pointer, code, suggestion], [`#/${other}`, 'unknown_field', field])
        assert.equal(hint, `Rename this member to \`${field}\`.`)
      }
    }
  })

  test('gets no suggestion if it is not similar to any field, or its field was sent too or is of the other kind', () => {
    for (const other of ['naaame', 'n', 'x'.repeat(15_000)]) {
      const { faults } = refusal(renamed(quote, { name: other }))
      assert.deepEqual([faults[0]?.pointer, faults[1]?.pointer], ['#/name', pointerTo(other)])
      assert.equal(faults[1]?.suggestion, undefined)
    }
    for (const body of [
      { ...quote, fullName: 'Pat' },
      { ...contact, beds: '3' },
    ])
      assert.equal(only(body).suggestion, undefined)
    // Two members cannot have the same name.
    const { faults } = refusal({ ...renamed(quote, { name: 'fullName' }), customerName: 'Pat' })
    assert.deepEqual([faults[0]?.suggestion, faults[1]?.suggestion, faults.length], ['name', undefined, 2])
  })

  test('without a matching field is sent to the free text of its kind', () => {
    const rest = '.*not want calls, .*country \\(code\\) outside .*do not submit\\. Leave out payment data'
    for (const [field, body] of Object.entries({ notes: quote, message: contact })) {
      const { detail, hint } = only({ ...body, pets: 'two' })
      assert.equal(detail, `is not a field of a ${field === 'notes' ? 'quote request' : 'contact message'}`)
      assert.match(hint, new RegExp(`^Unknown field\\. Move the detail to \`${field}\`\\. ${rest}`))
    }
  })
})

suite('consent', () => {
  test('is not accepted from another name', () => {
    for (const other of ['consent', 'communications_consent', 'optIn']) {
      const { faults } = refusal(renamed(quote, { communicationsConsent: other }))
      assert.deepEqual([faults[0]?.code, faults[1]?.pointer], ['consent_required', pointerTo(other)])
      const { suggestion, hint } = faults[1] ?? {}
      assert.deepEqual([suggestion, hint], ['communicationsConsent', memberHints.rename_consent])
    }
  })

  test('is not accepted with another type', () => {
    for (const value of ['true', 1, [true]])
      assert.match(
        only({ ...quote, communicationsConsent: value }).hint,
        /It must be the JSON value true, not a text, number, list or object\.$/,
      )
    assert.equal(only({ ...quote, communicationsConsent: false }).hint, words.consent_required.hint)
  })

  test('does not belong in a message, and is not suggested for its text', () => {
    const { hint, suggestion } = only({ ...contact, communicationsConsent: true })
    const remove = 'Remove the member: a contact message has no consent field.'
    assert.deepEqual([hint, suggestion], [remove, undefined])
  })

  test('that is denied is not to be removed, under any name and in either kind', () => {
    const hint = memberHints.consent_refused
    for (const value of [false, 'no', 0]) {
      for (const body of [
        { ...contact, communicationsConsent: value },
        { ...quote, smsConsent: value },
        { ...quote, consent: { email: true, sms: value } },
      ])
        assert.equal(only(body).hint, hint)
      const { formType: _, ...message } = contact
      const several = refusal({ ...message, communicationsConsent: value })
      assert.equal(several.faults[0]?.hint, hint)
      assert.match(`${several.hint}`, /even to one of calls, .*: stop here, .*any other customer: Do what the/)
    }
  })
})

suite('a message without formType', () => {
  const { formType: _, ...message } = contact
  const bodies: [body: Body, others: string[]][] = [
    [message, []],
    [{ ...message, body: 'Please call', message: undefined }, ['#/body unknown_field']],
    [{ ...message, phone: '1', email: undefined }, ['#/email required', '#/phone invalid_phone']],
  ]
  test('is told to add formType, and what else is wrong with a message', () => {
    for (const [body, others] of bodies) {
      const error = refusal(body)
      assert.deepEqual(entries(error), ['#/formType required', ...others])
      assert.match(error.faults[0]?.hint ?? '', /formType "support".*name, email, phone, helpWith, message/)
      assert.doesNotMatch(JSON.stringify(error.faults), /bedrooms|bathrooms|communicationsConsent|notes/)
    }
    assert.equal(only({ ...message, form_type: 'support' }).suggestion, 'formType')
  })

  test('that nothing shows to be one is told what a message needs, beside the faults of a quote request', () => {
    const body = { name: 'Pat', inquiry: 'Please call' }
    const guessed = /^The body was read as a quote request; a message needs formType "support"\. .*errors/
    assert.match(`${refusal(body).hint}`, guessed)
    assert.equal(refusal({ ...body, beds: '3' }).hint, undefined)
  })

  test('with rooms, or a service is a quote request', () => {
    for (const more of [
      { beds: '3', type: 'apartment' },
      { serviceType: 'Deep', message: 'Please call' },
    ])
      assert.equal(refusal({ name: 'Pat', ...more }).faults[0]?.code, 'consent_required')
  })
})

test('a field that is missing or has the wrong type gets no example that could be taken for data', () => {
  for (const [kind, body] of Object.entries({ quote, support: contact }) as [LeadKind, Body][])
    for (const { name: field } of leadRules[kind].filter(({ required, type }) => required && type === 'string'))
      for (const value of [undefined, 3])
        assert.match(
          only({ ...body, [field]: value }).hint,
          /^((?![0-9]{3}|@example).)*string((?![0-9]{3}|@example).)*ask the customer if you don't know it/,
        )
  assert.match(only({ ...quote, bedrooms: 3 }).hint, /a string such as "3"; a studio is "0"/)
  for (const field of ['consentTimestamp', 'pageUrl'])
    assert.match(only({ ...quote, [field]: 1 }).hint, /or leave the field out/)
})

suite('a value with a common mistake gets its hint, and a similar one does not:', () => {
  const foreign = [
    ...['+44 20 7946 0018', '44 20 7946 0018', '0044 20 7946 0018', '011 44 20 7946 0018', '+52 55 1234 5678'],
    ...['52 55 1234 5678', '07700 900123', 'tel:+44-20-7946-0018', '+44 (0)20 7946 0018 ext. 12'],
  ]
  const neverLeaveOut = /^Never leave out another country code: .* send nothing, and give them \{\{contact\}\}\.$/
  const noCount = /^Send a string such as .*; ask the customer if you don't know it; an estimate of theirs will do\.$/
  const offsets = ['2026-11-20T10:00:00+01:00', '2026-11-20T10:00:00.123-0500']
  const spoken = ['pat at example dot com', 'p a t at example dot com', 'pat [at] example [dot] com']
  const mistakes: [field: string, values: string[], hint: RegExp, other?: string][] = [
    ['phone', ['555-0123', '5550123', ' (555) 0123 '], /ask for the area code; never guess it/, '20255501'],
    ['phone', foreign, neverLeaveOut, '20255501'],
    ['email', ['pat @example.com', 'pat@\u00a0example.com'], /^The address has a space inside: ask/, 'Pat <a@b.com>'],
    ['email', spoken, /join letters that were spelled, and read it back/],
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

  test('an extension goes into the free text', () => {
    const numbers = ['202-555-0123 x4', '+1 (202) 555-0123, ext. 12', '2025550123#7', '1 202 555 0123 extension: 9']
    for (const phone of numbers)
      for (const [field, body] of Object.entries({ notes: quote, message: contact })) {
        const { hint } = only({ ...body, phone })
        assert.match(hint, new RegExp(`^Send the ten digits alone\\. .*an extension: put it into \`${field}\`\\.$`))
      }
  })
})

test('the members of a name are joined, and then the name is not missing', () => {
  const { faults } = refusal({ ...quote, name: undefined, firstName: 'Pat', last_name: 'Example' })
  const hint = 'The name is one field: join them into `name`.'
  const found = faults.map(({ pointer, hint }) => [pointer, hint])
  assert.deepEqual(found, [
    ['#/firstName', hint],
    ['#/last_name', hint],
  ])
})

suite('a member that holds the fields', () => {
  const topLevel =
    'Take the members out of this object: the fields belong at the top level. Other entries, if there are any, name them as if they stood there.'

  test('is the only fault if all is well inside', () => {
    const { name, phone, email, ...home } = quote
    for (const body of [
      ...['lead', 'data', 'quote', 'payload'].flatMap((member) => [{ [member]: quote }, { [member]: contact }]),
      { customer: { name, phone, email }, ...home },
    ]) {
      const { pointer, code, hint } = only(body)
      assert.deepEqual([pointer, code, hint], [`#/${Object.keys(body)[0]}`, 'unknown_field', topLevel])
    }
  })

  test('does not hide what is wrong inside, and does not replace what stands outside', () => {
    const error = refusal({ lead: { ...quote, beds: '3', bedrooms: undefined, phone: '1' }, phone: '2025550123' })
    assert.deepEqual(entries(error), ['#/beds unknown_field', '#/lead unknown_field'])
  })

  test('is not a field, an array, or an object without known names', () => {
    assert.equal(only({ ...quote, name: { name: 'Pat' } }).code, 'invalid_type')
    assert.match(only({ ...quote, leads: [quote] }).hint, /out of this list: the fields belong at the top level, and/)
    const ask = /^To ask about, change, cancel or withdraw .*, send nothing: .* \{\{contact\}\}\. Otherwise/
    for (const id of 'lead_id id bookingId action cancellation new_date withdrawConsent'.split(' '))
      assert.match(only({ ...quote, [id]: 'x' }).hint, ask)
    for (const more of [{ number: 'x' }, { idle: 'x' }, { extra: { pets: 2 } }, { extra: [] }, { extra: null }])
      assert.match(only({ ...quote, ...more }).hint, /^Unknown field\. Move the detail to `/)
  })

  test('gives no consent, and a message in it needs formType', () => {
    const [first] = entries(refusal({ lead: { ...quote, communicationsConsent: 'true' } }))
    assert.equal(first, '#/communicationsConsent consent_required')
    const data = { ...contact, formType: undefined }
    assert.deepEqual(entries(refusal({ data })), ['#/formType required', '#/data unknown_field'])
  })
})

test('a misnamed member with a wrong value gets the name and the value in one hint', () => {
  const hintOf = (names: Record<string, string>, change: Body) => only({ ...renamed(quote, names), ...change }).hint
  assert.match(hintOf({ bedrooms: 'beds' }, { beds: 3 }), /^Rename this member to `bedrooms`\. Send a string such as/)
  assert.match(hintOf({ phone: 'mobile' }, { mobile: '5550123' }), /^Rename this member to `phone`\. .*area code/)
  assert.match(hintOf({ formType: 'form_type' }, { form_type: 'contact', bedrooms: '1' }), /send "support"/)
  assert.equal(hintOf({ bedrooms: 'beds' }, {}), 'Rename this member to `bedrooms`.')
  for (const kind of ['quote', 'support'])
    assert.equal(hintOf({}, { form_type: kind }), 'Rename this member to `formType`.')
})

test('a lead inside a text is a wrapper, and nothing is said to be missing', () => {
  const text = JSON.stringify(quote)
  // The last two are no JSON: a text in single quotes, and one that was cut off.
  for (const body of [text, ` ${text}`, JSON.stringify(contact), text.replaceAll('"', "'"), text.slice(0, 90)])
    assert.match(only({ body }).hint, /^This is a lead as text\. Send the object itself, not its text/)
  assert.deepEqual(entries(refusal({ body: JSON.stringify({ ...quote, phone: '1' }) })), [
    '#/phone invalid_phone',
    '#/body unknown_field',
  ])
  for (const value of ['{ not a lead }', '{"pets":2}', 'name: Pat'])
    assert.match(only({ ...quote, extra: value }).hint, /^Unknown field/)
  assert.equal(only({ ...quote, service: 3, notes: '{"name":"Pat"}' }).pointer, '#/service')
})

test('a header in the body is told how to send it', () => {
  for (const [header, members] of [
    ['Idempotency-Key', ['Idempotency-Key', 'idempotencyKey', 'idempotency_key']],
    ['Consent-Version', ['Consent-Version', 'consent_version', 'consentVersion']],
  ] as const)
    for (const member of members)
      assert.equal(
        only({ ...quote, [member]: 'x' }).hint,
        `This is a header: send it as \`${header}\`, not in the body.`,
      )
})

suite('formType with another value', () => {
  test('is told what to send, and which fields a message has', () => {
    for (const formType of ['contact', 'Support', 3])
      for (const body of [contact, quote, {}])
        assert.match(
          only({ ...body, formType }).hint,
          /^Leave formType out for a quote request, or send "support" .* these fields: name, .*, message\. A quote request needs name, /,
        )
  })

  test('does not hide the other faults, if the fields tell the kind', () => {
    assert.deepEqual(
      entries(refusal({ ...renamed(contact, { helpWith: 'topic' }), formType: 'contact', phone: '1' })),
      ['#/formType invalid_value', '#/phone invalid_phone', '#/topic unknown_field'],
    )
  })
})

test('the summary names the fields, and counts unknown members only if there are any', () => {
  const change = { communicationsConsent: false, phone: '1', pets: 'two', extra: 'x' }
  const summary = '4 fields need attention: communicationsConsent, phone, 2 unknown members.'
  assert.equal(refusal({ ...quote, ...change }).message, summary)
  assert.equal(refusal({ ...quote, phone: '1' }).message, '1 field needs attention: phone.')
})
