import { asciiDigits } from './normalize.ts'

/** The first digits and the lengths of each network's card numbers (ISO/IEC 7812). */
const networks: readonly [prefix: RegExp, minLength: number, maxLength: number][] = [
  // Visa. 13 digits that begin with 43 or 49 may also be a phone number of Austria or Germany.
  [/^4[0-24-8]/, 13, 13],
  [/^4/, 16, 16],
  [/^4/, 19, 19],
  // Mastercard and Maestro.
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, 16, 16],
  [/^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, 16, 19],
  // American Express, Diners Club, JCB.
  [/^3[47]/, 15, 15],
  [/^3(?:0[0-5]|[689])/, 14, 19],
  [/^35(?:2[89]|[3-8])/, 16, 19],
  // Discover, UnionPay, Mir.
  [/^(?:6011|64[4-9]|65)/, 16, 19],
  [/^62/, 16, 19],
  [/^220[0-4]/, 16, 19],
]

/** Behind a word for a card, `#`, `=` and `/` do not make a number something else. */
const afterCard = '(?<=\\b(?:amex|card|cc|credit|debit|discover|mastercard|visa)(?: ?(?:no\\.?|number))?[ :]?[#=/] ?)'

/** Card numbers as people write them: in one piece, or in the groups printed on the card. */
const shapes = [
  '[0-9]{13,19}',
  '[0-9]{4}([ .-])[0-9]{4}\\2[0-9]{4}\\2[0-9]{4}\\2[0-9]{3}',
  '[0-9]{4}([ .-])[0-9]{4}\\2[0-9]{4}\\2[0-9]{4}',
  '[0-9]{4}([ .-])[0-9]{3}\\2[0-9]{3}\\2[0-9]{3}',
  '[0-9]{4}([ .-])[0-9]{6}\\2[0-9]{4,5}',
].map(
  // The lookahead also finds overlapping numbers, such as a house number before a card's groups.
  (shape) => new RegExp(`(?:${afterCard}|(?<![\\p{L}\\p{N}_+#=/]-?))(?=(${shape})(?![\\p{L}\\p{N}_]))`, 'giu'),
)

/** What may follow a label: `order no. 4111…`, `phone number is: 4111…`. */
const afterLabel = '[ :#-]{0,3}(?:(?:code|id|no|nr|num|number)[ .:#-]{0,3})?(?:(?:is|at)[ :]{1,2})?$'
/** Words before a number that say that it is something else. */
const label = new RegExp(
  String.raw`\b(?:booking|confirmation|ean|imei|invoice|isbn|meter|order|parcel|permit|policy|receipt|ref|reference|serial|shipment|ticket|tracking|upc)${afterLabel}`,
  'i',
)
/** The same for a phone number, which has at most 15 digits (E.164 §6.2). */
const phoneLabel = new RegExp(String.raw`\b(?:cell|fax|mobile|phone|tel|telephone|whatsapp)${afterLabel}`, 'i')

/** Rules out nearly every text, fast. */
const manyDigits = /(?:[0-9][\s.\p{Pd}\u2212]{0,3}){12}[0-9]/u

/** Whether a text contains what looks like the number of a payment card, without a label that says otherwise. */
export function hasPaymentCard(value: string): boolean {
  const text = asciiDigits(value)
  if (!manyDigits.test(text)) return false
  const spaced = text.replace(/[^\S\r\n]+/g, ' ').replace(/ ?[\p{Pd}\u2212] ?/gu, '-')
  return shapes.some((shape) =>
    Array.from(spaced.matchAll(shape)).some(({ index, 1: number = '' }) => {
      const before = spaced.slice(Math.max(0, index - 40), index)
      const digits = number.replace(/[ .-]/g, '')
      const isOther = label.test(before) || (digits.length <= 15 && phoneLabel.test(before))
      return isCardNumber(digits) && !isOther
    }),
  )
}

function isCardNumber(digits: string): boolean {
  const { length } = digits
  if (!networks.some(([prefix, min, max]) => length >= min && length <= max && prefix.test(digits))) return false
  // The Luhn formula (ISO/IEC 7812-1, annex B).
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits.at(-1 - at)) * (1 + (at % 2))
    sum += digit > 9 ? digit - 9 : digit
  }
  return sum % 10 === 0
}
