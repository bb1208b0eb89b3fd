import { contactsOf, normalizeField } from '../lead/normalize.ts'
import { leadRules } from '../lead/rules.ts'
import { inboxFaults } from '../words/inbox.ts'
import { invalid } from './parse-fields.ts'
import type { Contact } from './stored-lead.ts'

const rules = new Map(leadRules.quote.map((rule) => [rule.name, rule]))

const fields = ['phone', 'email'] as const

/** Parses an e-mail address or phone number in any form that a submission may use. Throws `invalid_argument`. */
export function parseContact(text: string): Contact {
  // Longer text is rejected without parsing.
  if (text.length <= 320 && text.isWellFormed()) {
    for (const field of fields) {
      const value = normalizeField(field, text)
      const rule = rules.get(field)
      if (value.length <= Number(rule?.maxLength) && rule?.pattern?.test(value))
        return { field, value: contactsOf({ [field]: value })[field] }
    }
  }
  throw invalid('contact', inboxFaults.contact)
}

/** The field of a normalized contact. */
export const fieldOf = (contact: string): Contact['field'] => (contact.includes('@') ? 'email' : 'phone')
