import type { Fault } from '../error.ts'
import { withoutSeparators } from '../normalize.ts'
import { type FieldRule, freeTextField } from '../rules.ts'
import type { LeadKind } from '../submission.ts'

const askForAddress = 'ask the customer for the address; never correct it yourself.'

/** Common mistakes, never corrected by us. Phones are compared without separators; `{{freeText}}` is a field's name. */
const mistakes: readonly [field: string, is: RegExp, hint: string][] = [
  ['phone', /^[0-9]{7}$/, 'The number has seven digits: ask for the area code; never guess it.'],
  [
    'phone',
    /\.0$/,
    "The value is a spreadsheet's decimal, and not ten digits before it: some are missing, or a country code is there. Ask the customer for the number.",
  ],
  [
    'phone',
    // Another prefix than +1, or more than ten digits without a leading 1.
    /^(?:(?:\+|00|011)(?!1)[0-9]{7,}|(?!1|001|0111)[0-9]{11,15})(?:[^0-9].*)?$/,
    "Never leave out another country code: without it, the number is somebody else's. A number with one cannot be taken. Ask for a U.S. number or another with +1, such as Canada's. If the customer has none, send nothing, and give them {{contact}}.",
  ],
  [
    'phone',
    /^(?:\+?1)?[0-9]{10}[,;]?(?:x|ext|extension|#)[:=#]?[0-9]{1,6}$/i,
    'Send the ten digits alone. The number has an extension: put it into `{{freeText}}`.',
  ],
  ['email', /@.*@/, 'The value has more than one @: send one address, and ask the customer which; never choose.'],
  // A display name may have a space.
  ['email', /^[^<,;]*[\s\p{Z}][^<,;]*$/u, `The address has a space inside: ${askForAddress}`],
  [
    'email',
    /\P{ASCII}/u,
    'The address has letters outside ASCII: ask the customer for another address, or send the domain in its ASCII form (xn--…) if only the domain has them.',
  ],
  ['email', /^[^@]*$/, `The address has no @: ${askForAddress}`],
  ['email', /^[^@]*@[^@]*,[^@]*$/, `The domain has a comma: ${askForAddress}`],
  ['email', /@[^@.]*$/, `The domain has no dot: ${askForAddress}`],
  ['email', /@[0-9.[\]]+$/, 'The address is of a machine: send one whose domain is a name.'],
  ['email', /^\.|\.\.|\.@|\.$/, `A dot is at an end, or there are two in a row: ${askForAddress}`],
  [
    'consentTimestamp',
    /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9:.]{5,20}[+-][0-9]{2}:?[0-9]{2}$/,
    'The time has an offset: convert the time to UTC, ending in Z, or leave `consentTimestamp` out.',
  ],
]

/** The fault for a text that does not match its field's pattern, with a specific hint for a known mistake. */
export function explainValue(rule: FieldRule, text: string, kind: LeadKind): Fault {
  const compared = rule.name === 'phone' ? withoutSeparators(text) : text
  const hint = mistakes.find(([field, is]) => field === rule.name && is.test(compared))?.[2]
  return hint ? { ...rule.faults.value, hint: hint.replace('{{freeText}}', freeTextField[kind]) } : rule.faults.value
}
