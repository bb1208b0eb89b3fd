import { mistakeHints, sendHints } from '../../words/faults.ts'
import { normalizeField, withoutSeparators } from '../normalize.ts'

const dateOfSheet = /^(?:\d{1,2}-[a-z]{3}|[a-z]{3}-\d{1,2}|\d+([/-])\d+\1\d+)$/i

/** Common mistakes, the most certain first. Phone numbers are compared as sent, and without separators. */
const mistakes: Readonly<Record<string, readonly [pattern: RegExp, hint: string][]>> = {
  bedrooms: [[dateOfSheet, mistakeHints.count_from_sheet]],
  bathrooms: [[dateOfSheet, mistakeHints.count_from_sheet]],
  phone: [
    [/^[0-9]{7}$/, mistakeHints.phone_seven_digits],
    [/\.0$|^[0-9]+e\+?[0-9]+$/i, mistakeHints.phone_from_sheet],
    // Whatever is around them; or the last digits of another one.
    [
      /(?<![0-9])1?[0-9]{10}(?:(?![0-9]).*(?<![0-9]))?(?:\+?1)?[0-9]{10}(?![0-9])|[0-9]{4}\s*(?:\/|or|and|&)\s*[0-9]{2,4}\s*(?:\(.*)?$/i,
      mistakeHints.phone_two,
    ],
    // Ten digits with other text, in which digits may be too.
    [
      /^(?=.*[#\p{L}])[^0-9+]*(?:\+?1[^0-9\p{L}]{0,3})?[0-9]{3}[^0-9\p{L}]{0,3}[0-9]{3}[^0-9\p{L}]{0,3}[0-9]{4}(?![0-9])/u,
      mistakeHints.phone_words,
    ],
    // A prefix other than +1, or more than ten digits without a leading 1.
    [/^(?:(?:\+|00|011)(?!1)[0-9]{7,}|(?!1|001|0111)[0-9]{11,15})(?:[^0-9].*)?$/, mistakeHints.phone_foreign],
    [/^\+?1?[0-9oil]{3}[0-9a-z]{7}$/i, mistakeHints.phone_letters],
  ],
  email: [
    [
      /^(?:no(?:ne|t [^@]*| e-?mail.*)?|n\/?a|nil|null|unknown|declined|refused|-+|[\u2013\u2014])\.?$/i,
      sendHints.email,
    ],
    [/@[^@]*[\s,;/|&<>][^@]*@/, mistakeHints.email_two],
    // Two single letters at the beginning were spelled.
    [
      /[\s([](?:dot|punto|point)[\s)\]]|^[^@]*[\s([](?:at|arroba|arobase)[\s)\]][^@]*$|^(?:\S\s){2}[^<]*$/i,
      mistakeHints.email_spoken,
    ],
    // No sign; spaces not in a display name; a comma, no dot or an IP address in the domain; dots in wrong places.
    [
      /^[^@]*$|^[^<,;]*[\s\p{Z}][^<,;]*$|^[^@]*@[^@\s]*,[^@\s]*$|@[^@.]*$|@[0-9.:[\]]+$|^\.|\.\.|\.@|\.$/u,
      mistakeHints.email_signs,
    ],
    // Not in a display name.
    [/^[^<]*\P{ASCII}[^<]*$|<.*\P{ASCII}.*>/u, mistakeHints.email_not_ascii],
  ],
}

export function hintOfMistake(field: string, text: string): string | undefined {
  const value = normalizeField(field, text)
  const compared = field === 'phone' ? withoutSeparators(value) : value
  return mistakes[field]?.find(([pattern]) => pattern.test(compared) || pattern.test(value))?.[1]
}
