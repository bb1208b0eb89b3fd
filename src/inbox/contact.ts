import { decodePersonal } from '../lead/evidence.ts'
import { normalizeField } from '../lead/normalize.ts'
import { leadRules } from '../lead/rules.ts'
import { invalid } from './input.ts'
import type { Contact, StoredLead } from './stored-lead.ts'

const rules = new Map(leadRules.quote.map((rule) => [rule.name, rule]))

/** Longer than any e-mail address or phone number. Longer text is rejected without parsing. */
const contactMaxLength = 320

/**
 * The form in which contacts are compared: ten digits, or a lowercase address. RFC 5321 allows a case-sensitive local
 * part, but no provider has two users whose addresses differ only by case.
 */
function comparable({ field, value }: Contact): Contact {
  return { field, value: value.toLowerCase() }
}

/** Parses an e-mail address or phone number in any form that a submission may use. Throws `invalid_argument`. */
export function parseContact(text: string): Contact {
  if (text.length <= contactMaxLength && text.isWellFormed()) {
    for (const field of ['phone', 'email'] as const) {
      const value = normalizeField(field, text)
      const rule = rules.get(field)
      if (value.length <= Number(rule?.maxLength) && rule?.pattern?.test(value)) return comparable({ field, value })
    }
  }
  throw invalid(
    'contact',
    'must be an e-mail address or a 10-digit U.S. number (+1)',
    'Send one address such as "pat@example.com", or ten digits such as "2025550123".',
  )
}

/** The contacts of a lead. Empty once it has been erased. */
export function contactsOf({ personal }: Pick<StoredLead, 'personal'>): Contact[] {
  if (personal === null) return []
  const { content } = decodePersonal(personal)
  return (['phone', 'email'] as const).flatMap((field) => {
    const value = content[field]
    return typeof value === 'string' ? [comparable({ field, value })] : []
  })
}
