// test/support/submissions.ts has what we take and others do not, and the reverse.
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

suite('public validators and we take the same', { skip }, () => {
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
