import type { Fault } from './error.ts'
import { withoutSeparators } from './normalize.ts'
import type { FieldRule } from './rules.ts'

/** Common mistakes with specific hints. None of them is corrected automatically. */
const mistakes: Readonly<Record<string, { is: (text: string) => boolean; hint: string }>> = {
  phone: {
    is: (text) => /^[0-9]{7}$/.test(withoutSeparators(text)),
    hint: 'The number has seven digits: ask for the area code; never guess it.',
  },
  consentTimestamp: {
    is: (text) => /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9:.]{5,20}[+-][0-9]{2}:?[0-9]{2}$/.test(text),
    hint: 'The time has an offset: convert it to UTC, or leave it out.',
  },
}

/** The fault for a text that does not match its field's pattern, with a specific hint for a known mistake. */
export function explainValue(rule: FieldRule, text: string): Fault {
  const mistake = mistakes[rule.name]
  return mistake?.is(text) ? { ...rule.faults.value, hint: mistake.hint } : rule.faults.value
}
