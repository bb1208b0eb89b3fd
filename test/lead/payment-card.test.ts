import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { hasPaymentCard } from '../../src/lead/payment-card.ts'

/** The networks' published test numbers. */
const cards = `
  4111111111111111 4012888888881881 4222222222222 4000000000000000006 5555555555554444 5105105105105100
  2223003122003222 2720992593319364 378282246310005 371449635398431 6011111111111117 6445644564456445
  30569309025904 38520000023237 3530111333300000 6200000000000005 2200000000000004 6759649826438453`
  .trim()
  .split(/\s+/)

const inGroups = (digits: string, separator: string) => {
  const sizes = { 13: [4, 3, 3, 3], 14: [4, 6, 4], 15: [4, 6, 5] }[digits.length] ?? [4, 4, 4, 4, 3]
  const ends = sizes.map((_, at) => sizes.slice(0, at + 1).reduce((sum, size) => sum + size, 0))
  const groups = ends.map((end, at) => digits.slice(end - (sizes[at] ?? 0), end))
  return groups.filter(Boolean).join(separator)
}

suite('the number of a payment card', () => {
  test('is found, however it is written', () => {
    for (const card of cards) {
      for (const separator of ['', ' ', '-', '.', ',', ', ', '\n', '/', '\u00a0', '\u2011', ' - ', '  ']) {
        const written = separator === '' ? card : inGroups(card, separator)
        const texts = [`My card: ${written}, exp 12/28`, `house 1200 ${written}`, `202-555-0123 or ${written} 123`]
        const words = 'Phone order, for the job: |Visa #|card no. #|cc=|cc|Visa-|mc:|creditcard|('.split('|')
        const named = words.map((before) => before + written)
        for (const text of [...texts, ...named, `${written}exp06/27`, `${written}cvv 123`])
          assert(hasPaymentCard(text), text)
        const inArabic = written.replace(/[0-9]/g, (digit) => String.fromCodePoint(0x660 + Number(digit)))
        assert(hasPaymentCard(inArabic), inArabic)
      }
    }
  })

  test('may have a different separator in each place', () => {
    const texts = `
      4111-1111 1111.1111 | 4111 1111,1111-1111 | 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
      (4111)(1111)(1111)(1111) | 41111111 11111111`
    for (const text of [...texts.trim().split(/ \| |\n */), '4111*1111|1111:1111']) assert(hasPaymentCard(text), text)
  })

  test('has the right check digit, and the first digits and the length of a network', () => {
    const wrong = cards.map((card) => card.slice(0, -1) + ((Number(card.at(-1)) + 1) % 10))
    const others = '0000000000000000 9999999999999995 41111111111111118 7000000000000005 12345678903'
    for (const digits of [...wrong, ...others.split(' ')]) assert(!hasPaymentCard(digits), digits)
  })
})

suite('no card is found', () => {
  const texts = `
    Call 202-555-0123, 202-555-0145 or (415) 867-5309. | 415 867 5309 415 867 5310 | 867-5309 867-5310 867-5311
    4158675309 4158675310 4158675311 | +1 415 867 5309 +1 415 867 5310 | +4915112345678 | +49 1511 2345 6782
    0044 20 7946 0018 | Order number 4111111111111111 | order #4111111111111111 | order no. 4111 1111 1111 1111
    Invoice: 4111-1111-1111-1111 | my tracking number is 4111111111111111 | INV-4111111111111111 | SKU4111111111111111
    #4111111111111111 | https://example.com/?id=4111111111111111 | https://example.com/4111111111111111
    2026-11-22 09:30 to 2026-11-23 10:30 | 20261122093000, 20261123093000 | 11/22/2026 11/23/2026 11/24/2026 11/25/2026
    1990 1995 2000 2005 | 4 bedrooms, 1111 sq ft, 1111 Main St, 11111, 1111 | 4,111,111,111,111,111
    1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 | 0.5309136012499991 | 0,5309136012499991 | 37.4111111111111111
    account4111111111111111 | 2221/2222/2223`
  test('in what people write', () => {
    for (const text of texts.trim().split(/ \| |\n {4}/)) assert(!hasPaymentCard(text), text)
  })

  test('in any number of phone numbers, dates and labeled numbers in a row', () => {
    const item = fc.oneof(
      ...[
        /^(\+1|\+1 |1-|\()?[2-9][0-9]{2}([ .\u2011-]|\) )[0-9]{3}[ .\u2011-][0-9]{4}$/,
        /^[2-9][0-9]{2}-[0-9]{4}$/,
        /^[2-9][0-9]{9}$/,
        /^\+[2-9][0-9]{7,14}$/,
        /^(order |Order no\. |invoice #|tracking number: |ref )4[0-9]{15}$/,
        /^(19[5-9]|20[0-9])[0-9]-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9])(T[01][0-9]:[0-5][0-9]:00\.000Z)?$/,
        /^(19[5-9]|20[0-9])[0-9](0[1-9]|1[0-2])(0[1-9]|[12][0-9])[01][0-9][0-5][0-9]00$/,
        /^(90210|2\.5|\$120|3)$/,
      ].map((pattern) => fc.stringMatching(pattern)),
    )
    const text = fc
      .tuple(fc.array(item, { minLength: 1, maxLength: 8 }), fc.constantFrom(' ', ', ', '\n', ' / ', ' or '))
      .map(([items, between]) => items.join(between))
    fc.assert(
      fc.property(text, (written) => assert(!hasPaymentCard(written))),
      { numRuns: 3_000 },
    )
  })
})
