// Addresses and numbers of every kind that the lists of public validators have (validator.js, isemail, email-validator,
// libphonenumber), as data of our own. Where this service differs from them, the reason stands beside the values.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { checkLead } from '../../src/lead/check.ts'
import { LeadError } from '../../src/lead/error.ts'
import { quote } from '../support/submissions.ts'
import { options } from './refusal.ts'

function isTaken(field: 'email' | 'phone', value: string): boolean {
  try {
    checkLead({ ...quote, [field]: value }, options)
    return true
  } catch (error) {
    assert(error instanceof LeadError)
    assert.deepEqual(
      error.faults.map(({ pointer }) => pointer),
      [`#/${field}`],
      value,
    )
    return false
  }
}

const x = (count: number) => 'x'.repeat(count)
const domain = `${x(60)}.${x(60)}.${x(60)}`

/** The values, whether validators call them valid, and why this service does not agree. */
type Row = [values: string[], valid: boolean, differs?: string]

const addresses: Row[] = [
  [['pat@mail-host.org', 'x@y.co', 'pat@mail.host.org', 'PAT@MAIL-HOST.ORG', 'pat@1337.org', 'pat@a.museum'], true],
  [['pat+home@mail-host.org', 'p.a.t@mail-host.org', "o'neill@mail-host.org", 'a|b@mail-host.org'], true],
  [['#!$%&*+-/=?^_`{}|~@mail-host.org', '1@mail-host.org', '_@mail-host.org', 'a--b@mail-host.org'], true],
  [[`${x(64)}@mail-host.org`, `pat@${x(63)}.org`, `p@${domain}.org`, 'pat@xn--bcher-kva.xn--p1ai'], true],
  [
    ['pat', 'pat@', '@mail-host.org', 'pat.mail-host.org', 'pat@@mail-host.org', 'a@b@mail-host.org', 'pat@host'],
    false,
  ],
  [
    ['pat@mail-host.org.', 'pat@.mail-host.org', 'pat@mail..org', 'pat@-mail.org', 'pat@mail-.org', 'pat@a_b.org'],
    false,
  ],
  [['.pat@mail-host.org', 'pat.@mail-host.org', 'p..at@mail-host.org', 'pat@host.c', 'pat@host.c0m'], false],
  [[`${x(65)}@mail-host.org`, `pat@${x(64)}.org`, `pat@${domain}.${x(60)}.${x(12)}.org`], false],
  [
    ['p at@mail-host.org', 'pat@mail host.org', 'pat@mail-host.o rg', 'pat\u00a0x@mail-host.org', 'pat@mail-host.org©'],
    false,
  ],
  [
    ['a(b)c@mail-host.org', 'a,b@mail-host.org', 'a:b@mail-host.org', 'a"b"c@mail-host.org', 'a\\b@mail-host.org'],
    false,
  ],
  [['pat@10.0.0.256', 'pat@mail-host.org, x@y.co', 'pat@mail-host.org>', 'pat@ｍａｉｌ.org'], false],
  [['zoë@mail-host.org', '用户@mail-host.org'], true, 'many mail systems of a small business cannot write to them'],
  [['pat@bücher.org'], true, 'the hint asks for the ASCII form, which every mail program takes'],
  [['"pat"@mail-host.org', '"p at"@mail-host.org', '"a\\"b"@mail-host.org'], true, 'no person has a quoted local part'],
  [['pat@[10.0.0.1]', 'pat@10.0.0.1', 'pat@[IPv6:::1]'], true, 'a machine is no customer'],
  [['Pat Sample <pat@mail-host.org>', '<pat@mail-host.org>'], true, 'one address is asked for, so nothing is guessed'],
  [['pat@localhost', 'pat@com'], true, 'a domain without a dot is a slip of the pen'],
  [['(home)pat@mail-host.org', 'pat@mail-host.org(home)'], true, 'comments of RFC 5322 are in no form'],
  [['mailto:pat@mail-host.org', ' pat@mail-host.org\n', 'pat\u200b@mail-host.org'], false, 'people paste these'],
]

const numbers: Row[] = [
  [['2024561414', '202-456-1414', '(202) 456-1414', '202.456.1414', '202 456 1414', '+1 202 456 1414'], true],
  [
    ['12024561414', '1-202-456-1414', '+1(202)456-1414', '+12024561414', '1 (202) 456.1414', 'tel:+1-202-456-1414'],
    true,
  ],
  [
    ['0012024561414', '011 1 202 456 1414', '202/456-1414', '202–456–1414', '٢٠٢٤٥٦١٤١٤', '２０２－４５６－１４１４'],
    true,
  ],
  [['202456141', '20245614141', '4561414', '+1 202 456 141', '', '(202)', '+', 'call me'], false],
  [['+44 20 7946 0018', '0044 20 7946 0018', '+49 30 901820', '+52 55 1234 5678', '07700 900123'], false],
  [['202456141O', '2024561414;', '202_456_1414'], false],
  [['202-456-1414 x9', '202-456-1414 ext. 9', '2024561414#9'], true, 'an extension belongs to the free text'],
  [['1-800-FLOWERS'], true, 'letters are read aloud differently in each country'],
  [['2024561414.0'], false, 'a spreadsheet made it of ten digits'],
  [['202456141.0', '12024561414.0'], false],
]

suite('contacts as public validators judge them:', () => {
  for (const [field, rows] of Object.entries({ email: addresses, phone: numbers }))
    for (const [values, valid, differs] of rows)
      test(`${field} ${values[0]?.slice(0, 30)} …${differs ? `, though ${differs}` : ''}`, () => {
        for (const value of values)
          assert.equal(isTaken(field as 'email' | 'phone', value), differs ? !valid : valid, value)
      })
})
