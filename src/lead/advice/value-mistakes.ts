import { mistakeHints, sendHints } from '../../words/faults.ts'
import { normalizeField, withoutSeparators } from '../normalize.ts'

/** Common mistakes, the most certain first. Phone numbers are compared without separators. */
const mistakes: readonly [field: string, is: RegExp, hint: string][] = [
  ['phone', /^[0-9]{7}$/, mistakeHints.phone_seven_digits],
  ['phone', /\.0$/, mistakeHints.phone_decimal],
  ['phone', /^(?:\+?1)?[0-9]{10}[^0-9]*(?:\+?1)?[0-9]{10}$/, mistakeHints.phone_two],
  // A prefix other than +1, or more than ten digits without a leading 1.
  ['phone', /^(?:(?:\+|00|011)(?!1)[0-9]{7,}|(?!1|001|0111)[0-9]{11,15})(?:[^0-9].*)?$/, mistakeHints.phone_foreign],
  ['phone', /^(?:\+?1)?[0-9]{10}[,;]?(?:x|ext|extension|#)[:=#]?[0-9]{1,6}$/i, mistakeHints.phone_extension],
  ['email', /^(?:none|no(?: e-?mail(?: address)?)?|n\/?a|nil|null|unknown|[-–—]+)\.?$/i, sendHints.email],
  ['email', /@.*@/, mistakeHints.email_two_signs],
  // Two single letters at the beginning were spelled.
  ['email', /[\s([]dot[\s)\]]|^[^@]*[\s([]at[\s)\]][^@]*$|^(?:\S\s){2}[^<]*$/i, mistakeHints.email_spoken],
  // Not in a display name, which may have spaces.
  ['email', /^[^<,;]*[\s\p{Z}][^<,;]*$/u, mistakeHints.email_space],
  ['email', /\P{ASCII}/u, mistakeHints.email_not_ascii],
  ['email', /^[^@]*$/, mistakeHints.email_no_sign],
  ['email', /^[^@]*@[^@]*,[^@]*$/, mistakeHints.email_comma],
  ['email', /@[^@.]*$/, mistakeHints.email_no_dot],
  ['email', /@[0-9.:[\]]+$/, mistakeHints.email_machine],
  ['email', /^\.|\.\.|\.@|\.$/, mistakeHints.email_dots],
  [
    'consentTimestamp',
    /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9:.]{5,20}[+-][0-9]{2}:?[0-9]{2}$/,
    mistakeHints.time_offset,
  ],
]

export function hintOfMistake(field: string, text: string): string | undefined {
  const value = normalizeField(field, text)
  const compared = field === 'phone' ? withoutSeparators(value) : value
  return mistakes.find(([name, is]) => name === field && is.test(compared))?.[2]
}
