import type { Fault } from './error.ts'
import { withoutSeparators } from './normalize.ts'
import { type FieldRule, freeTextField } from './rules.ts'
import type { LeadKind } from './submission.ts'

const askForAddress = 'ask the customer for the address; never correct it yourself.'

/** Common mistakes with specific hints. None of them is corrected automatically. */
const mistakes: readonly {
  field: string
  is: (text: string) => boolean
  hint: (kind: LeadKind) => string
}[] = [
  {
    field: 'phone',
    is: (text) => /^[0-9]{7}$/.test(withoutSeparators(text)),
    hint: () => 'The number has seven digits: ask for the area code; never guess it.',
  },
  {
    field: 'phone',
    is: (text) => /^(?:\+?1)?[0-9]{10}[,;]?(?:x|ext|extension|#)[:=#]?[0-9]{1,6}$/i.test(withoutSeparators(text)),
    hint: (kind) => `Send the ten digits alone. The number has an extension: put it into \`${freeTextField[kind]}\`.`,
  },
  {
    field: 'phone',
    is: (text) => /^(?:\+(?!1)|00|011)[0-9]{7,}$/.test(withoutSeparators(text)),
    hint: () =>
      'Ask for a 10-digit U.S. number: a number with another country code cannot be taken. A customer who has no other calls {{phone}}.',
  },
  {
    field: 'email',
    is: (text) => /\P{ASCII}/u.test(text),
    hint: () =>
      'The address has letters outside ASCII: ask the customer for another address, or send the domain in its ASCII form (xn--…) if only the domain has them.',
  },
  {
    field: 'email',
    is: (text) => !text.includes('@'),
    hint: () => `The address has no @: ${askForAddress}`,
  },
  {
    field: 'email',
    is: (text) => /^[^@]*@[^@]*,[^@]*$/.test(text),
    hint: () => `The domain has a comma: ${askForAddress}`,
  },
  {
    field: 'email',
    is: (text) => /@[^@.]*$/.test(text),
    hint: () => `The domain has no dot: ${askForAddress}`,
  },
  {
    field: 'consentTimestamp',
    is: (text) => /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9:.]{5,20}[+-][0-9]{2}:?[0-9]{2}$/.test(text),
    hint: () => 'The time has an offset: convert the time to UTC, ending in Z, or leave `consentTimestamp` out.',
  },
]

/** The fault for a text that does not match its field's pattern, with a specific hint for a known mistake. */
export function explainValue(rule: FieldRule, text: string, kind: LeadKind): Fault {
  const mistake = mistakes.find(({ field, is }) => field === rule.name && is(text))
  return mistake ? { ...rule.faults.value, hint: mistake.hint(kind) } : rule.faults.value
}
