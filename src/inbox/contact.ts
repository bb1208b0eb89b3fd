import { normalizeField } from '../lead/normalize.ts'
import { leadRules } from '../lead/rules.ts'
import { decodePersonal } from '../lead/texts.ts'
import { invalid } from './input.ts'
import type { StoredLead } from './stored-lead.ts'

const rules = new Map(leadRules.quote.map((rule) => [rule.name, rule]))

/** Longer than any e-mail address or phone number. Longer text is rejected without parsing. */
const contactMaxLength = 320

/**
 * Parses an e-mail address or phone number in any form that a submission may use. Returns the form in which contacts are
 * compared: ten digits, or an address in lowercase. RFC 5321 allows a case-sensitive local part, but no provider has two
 * users whose addresses differ only by case. Throws `invalid_argument`.
 */
export function parseContact(text: string): string {
  if (text.length <= contactMaxLength && text.isWellFormed()) {
    for (const field of ['phone', 'email'] as const) {
      const value = normalizeField(field, text)
      const rule = rules.get(field)
      if (value.length <= Number(rule?.maxLength) && rule?.pattern?.test(value)) return value.toLowerCase()
    }
  }
  throw invalid(
    'contact',
    'must be an e-mail address, or the ten digits of a number of the North American plan (+1)',
    'Send one address such as "pat@example.com", or ten digits such as "2025550123".',
  )
}

/** The contacts of a lead, as `parseContact` returns them. Empty once it has been erased. */
export function contactsOf({ personal }: Pick<StoredLead, 'personal'>): string[] {
  if (personal === null) return []
  const { phone, email } = decodePersonal(personal).content
  return [phone, email].flatMap((value) => (typeof value === 'string' ? [value.toLowerCase()] : []))
}
