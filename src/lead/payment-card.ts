import { asciiDigits } from './normalize.ts'

/** The first digits and the lengths of each network's card numbers (ISO/IEC 7812). */
const networks: readonly [prefix: RegExp, ...lengths: number[]][] = [
  // Visa. 13 digits that begin with 43 or 49 may also be a phone number of Austria or Germany.
  [/^4[0-24-8]/, 13],
  [/^4/, 16, 19],
  // Mastercard; American Express; Diners Club.
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, 16],
  [/^3[47]/, 15],
  [/^3(?:0[0-5]|[689])/, 14, 15, 16, 17, 18, 19],
  // Maestro, JCB, Discover, UnionPay, Mir.
  [/^(?:50(?:18|20|38)|5893|6304|6759|676[1-3])/, 16, 17, 18, 19],
  [/^(?:35(?:2[89]|[3-8])|6011|64[4-9]|65|62|220[0-4])/, 16, 17, 18, 19],
]

/** The signs between the groups of a number, except those of a currency, a percentage, a sum or a comparison. */
const gap = String.raw`[^\p{L}\p{N}\p{Sc}%+<>]{1,3}`
/** A number in one piece, which is not the end of a decimal, or in groups as on a card. */
const shapes = [
  '(?<![0-9][.,])[0-9]{13,19}',
  `([0-9]{4}(?:${gap}[0-9]{4}){3})(?:${gap}[0-9]{3})?`,
  `[0-9]{8}${gap}[0-9]{8}`,
  `[0-9]{4}(?:${gap}[0-9]{3}){3}`,
  `[0-9]{4}${gap}[0-9]{6}${gap}[0-9]{4,5}`,
  // Digit by digit, as it is dictated.
  '[0-9](?:[ -][0-9]){12,18}',
].join('|')
/** After a word for a card, it does not matter which letter or sign comes directly before the number. */
const afterCard = String.raw`(?<=(?:amex|express|card|\bcc|credit|debit|discover|\bmc|visa)(?: ?(?:no\.?|number))?[\s:#=/-]{0,3})`
/** The lookahead also finds overlapping numbers, such as a house number before a card's groups. */
const numbers = new RegExp(String.raw`(?:${afterCard}|(?<![\p{L}\p{N}_+#=/]-?))(?=(${shapes})(?![0-9]))`, 'giu')

/** What may follow a label: `order no. 4111…`, `phone number is: 4111…`. */
const afterLabel = String.raw`[\s:#-]{0,3}(?:(?:code|id|no|nr|num|number)[\s.:#-]{0,3})?(?:(?:is|at)[\s:]{1,2})?$`
/** Words before a number that say that it is something else. */
const label = new RegExp(
  String.raw`\b(?:booking|confirmation|ean|imei|invoice|isbn|meter|order|parcel|permit|policy|receipt|ref|reference|serial|shipment|ticket|tracking|upc)${afterLabel}`,
  'i',
)
/** The same for a phone number, which has at most 15 digits (E.164 §6.2). */
const phoneLabel = new RegExp(String.raw`\b(?:cell|fax|mobile|phone|tel|telephone|whatsapp)${afterLabel}`, 'i')

/** Rules out nearly every text quickly. */
const manyDigits = new RegExp(`(?:[0-9](?:${gap})?){12}[0-9]`, 'u')

/** Whether a text contains what looks like the number of a payment card, without a label that says otherwise. */
export function hasPaymentCard(value: string): boolean {
  const text = asciiDigits(value)
  if (!manyDigits.test(text)) return false
  return Array.from(text.matchAll(numbers)).some(({ index, 1: whole = '', 2: groups = whole }) => {
    const before = text.slice(Math.max(0, index - 40), index)
    // Three digits after four groups may belong to the number, or be a security code.
    return [whole, groups].some((written) => {
      const digits = written.replace(/\D/g, '')
      return isCardNumber(digits) && !label.test(before) && !(digits.length <= 15 && phoneLabel.test(before))
    })
  })
}

function isCardNumber(digits: string): boolean {
  if (!networks.some(([prefix, ...lengths]) => lengths.includes(digits.length) && prefix.test(digits))) return false
  // The Luhn formula (ISO/IEC 7812-1, annex B).
  const values = Array.from(digits, (_, at) => Number(digits.at(-1 - at)) * (1 + (at % 2)))
  return values.reduce((sum, value) => sum + (value > 9 ? value - 9 : value), 0) % 10 === 0
}
