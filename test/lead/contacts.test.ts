// The kinds of contacts in the lists that public validators are tested with: who takes them, and why we differ.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { checkLead } from '../../src/lead/check.ts'
import { LeadError } from '../../src/lead/error.ts'
import { quote } from '../support/submissions.ts'
import { othersPackages, skipWithoutOthers } from '../support/tools.ts'
import { options } from './refusal.ts'

const skip = skipWithoutOthers()
const load = skip ? () => ({}) : createRequire(join(othersPackages, 'x.js'))
const { isEmail, isMobilePhone } = load('validator')
const [isemail, emailValidator] = [load('isemail'), load('email-validator')]
const isPhone = (phone: string): boolean => isMobilePhone(phone, ['en-US', 'en-CA'])

/** Whether we take a contact: of a phone number, where leads are real, because others' rule is the numbering plan. */
function isTaken(field: 'email' | 'phone', value: string): boolean {
  const real = { ...quote, phone: '2025552368', email: 'pat@mail.internal', [field]: value }
  try {
    checkLead(real, { ...options, acceptTestLeads: field === 'email' })
    return true
  } catch (error) {
    assert(error instanceof LeadError)
    return false
  }
}

const label = 'l'.repeat(63)
/** Who takes them, why we differ (empty: all agree), and values between semicolons. */
type Row = [takers: string, reason: string, values: string]
const everyone = 'us validator isemail email-validator'
const emails: Row[] = [
  [everyone, '', "a@b.co ; Pat.E+tag@Mail.EXAMPLE.museum ; 0@1.example.com ; !#$%&'*+-/=?^_{|}~@b--c.example.org"],
  [everyone, '', `${label}l@example.com ; a@${label}.com ; a@xn--bcher-kva.example ; xn--a@example.com`],
  ['', '', ' ; a ; @ ; a@ ; @example.com ; a.example.com ; a@@example.com ; a@b@example.com ; a@b.co, c@d.co'],
  ['', '', '.a@example.com ; a.@example.com ; a..b@example.com ; a@.example.com ; a@example..com'],
  ['', '', 'a@-example.com ; a@example-.com ; a@exam_ple.com ; a@example.com- ; a@<example>.com ; a@b/c.com'],
  ['', '', `${label}ll@example.com ; a@${label}l.com ; a@${label}.${label}.${label}.${label}`],
  ['', '', 'a b@example.com ; a@exam ple.com ; a(),:;<>[]b@example.com ; a\\b@example.com ; a@192.0.2.1:25'],
  ['', '', 'Pat <a@example.com> ; (Pat)a@example.com ; a@example.com(Pat)'],
  ['', '', '"a"b@example.com ; a"b"@example.com ; a@[192.0.2.1 ; a@b[192.0.2.1]'],
  ['validator isemail', 'no provider gives quotes to a person', '"a"@example.com ; "a\\"b"@example.com'],
  ['validator', 'the same, with a space', '"a b"@example.com ; " ñ "@example.com'],
  ['validator isemail', 'an accent is often a slip; xn-- is taken', 'zoë@example.com ; a@bücher.com ; ñ@郵件.商務'],
  ['isemail', 'no person has an IP address as a domain', 'a@192.0.2.1 ; a@[192.0.2.1] ; a@[IPv6:2001:db8::1]'],
  ['isemail', 'no such top-level domain exists', 'a@b ; a@example.c ; a@example.123'],
  ['isemail email-validator', 'no such top-level domain exists', 'a@example.co-uk'],
  ['isemail', 'a space in any script is a space', 'a@example.c\u3000m'],
  ['us validator isemail', 'the top-level domain exists', 'a@b.xn--p1ai'],
  ['us validator isemail', 'RFC 5321 allows a backtick at the beginning', '`@b.co'],
  ['us validator isemail', 'what nobody sees is removed', 'a\u200bb@example.com'],
  ['us isemail', 'a keyboard types full-width letters', 'ａ@ｅｘａｍｐｌｅ．ｃｏｍ'],
  ['us', 'the same, with its @', 'ａ＠ｅｘａｍｐｌｅ．ｃｏｍ'],
  ['us', 'a copied address has a line around it, or its link', '\r\n\ta@example.com\r\n ; mailto:a@example.com'],
  ['us', 'nor do signs around it make it another', 'a@example.com. ; <a@example.com> ; "a@example.com'],
  ['us validator isemail', 'for us, curly quotes are no part of it', '“a@example.com”'],
]
const phones: Row[] = [
  ['us validator', '', '2025552368 ; 12025552368 ; +12025552368 ; 8004112368 ; 202-555-2368 ; +1(202)5552368'],
  ['us validator', '', '+1(202)555-2368 ; +1(202) 555-2368 ; 1(202)555-2368 ; 1(202)555 2368'],
  ['', '', ' ; 5552368 ; 202555236 ; 20255523680 ; 02025552368 ; +2(202)555-2368 ; +442079460018 ; nobody'],
  ['', '', '0125552368 ; 1125552368 ; +10125552368 ; 11125552368 ; 1(012)555-2368 ; 2020552368 ; 2021552368'],
  ['validator', 'no code is N11, N9X or 555', '2115552368 ; 2025112368 ; 2955552368 ; 5555552368'],
  ['validator', '555-01XX is for fiction', '202-555-0123'],
  ['us', 'toll-free numbers have a plan of their own', '8000552368 ; 8881552368'],
  ['us', 'people write them so', '202.555.2368 ; (202)  555 – 2368 ; 202/555/2368 ; \t2025552368\n ; tel:+12025552368'],
  [
    'us',
    'so do other countries and programs',
    '+01 202 555 2368 ; p:+12025552368 ; 2,025,552,368 ; 0012025552368 ; ٢٠٢٥٥٥٢٣٦٨ ; ２０２５５５２３６８ ; 2025552368.0',
  ],
]

suite('public validators and we take the same', { skip }, () => {
  test('contacts of each kind, unless a reason says why not', () => {
    const packages = { validator: isEmail, isemail: isemail.validate, 'email-validator': emailValidator.validate }
    for (const [field, rows, others] of [
      ['email', emails, packages],
      ['phone', phones, { validator: isPhone }],
    ] as const)
      for (const [takers, reason, values] of rows) {
        const all = Object.entries({ us: (value: string) => isTaken(field, value), ...others })
        for (const value of values.split(' ; ')) {
          const found = all.filter(([, takes]) => takes(value)).map(([name]) => name)
          assert.equal(found.join(' '), takers, JSON.stringify(value))
          assert.equal(reason === '', found.length % all.length === 0, `a reason for ${value}`)
        }
      }
  })

  test('addresses in ASCII without quotes', () => {
    const text = (characters: string) => fc.string({ unit: fc.constantFrom(...characters), maxLength: 5 })
    const domain = fc.array(text('ab1-_'), { maxLength: 3 })
    const end = fc.constantFrom('.com', '.c', '.c0m', '.co-uk', '.123', '.xn--p1ai', '')
    const near = fc.tuple(text("ab1.-+_'%/!{ ,()\\<:"), domain, end).map(([a, b, c]) => `x${a}@${b.join('.')}${c}`)
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), near), (email) => {
        assert.equal(isTaken('email', email), isEmail(email.trim()), email)
      }),
      { numRuns: 1000 },
    )
  })

  test('digits of codes in use, whatever separates them', () => {
    const unused = /^(?:.11|.9|555|8(?:00|33|44|55|66|77|88)|...[2-9]11)|55501..$/
    const digits = fc.stringMatching(/^(?:\+?1)?[0-9]{9,11}$/).filter((text) => !unused.test(text.slice(-10)))
    fc.assert(
      fc.property(digits, fc.constantFrom('', ' ', '-', ' / '), (phone, separator) => {
        assert.equal(isTaken('phone', [...phone].join(separator)), isPhone(phone), phone)
      }),
      { numRuns: 1000 },
    )
  })
})
