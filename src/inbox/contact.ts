import { decodePersonal } from '../lead/evidence-texts.ts'
import { contactsOf, normalizeField } from '../lead/normalize.ts'
import { leadRules } from '../lead/rules.ts'
import { inboxFaults } from '../words/inbox.ts'
import { invalid } from './parse-fields.ts'
import type { Contact, StoredLead } from './stored-lead.ts'

const rules = new Map(leadRules.quote.map((rule) => [rule.name, rule]))

/** Longer than any e-mail address or phone number. Longer text is rejected without parsing. */
const contactMaxLength = 320

/** Parses an e-mail address or phone number in any form that a submission may use. Throws `invalid_argument`. */
export function parseContact(text: string): Contact {
  if (text.length <= contactMaxLength && text.isWellFormed()) {
    for (const field of ['phone', 'email'] as const) {
      const value = normalizeField(field, text)
      const rule = rules.get(field)
      if (value.length <= Number(rule?.maxLength) && rule?.pattern?.test(value))
        return { field, value: contactsOf({ [field]: value })[field] }
    }
  }
  throw invalid('contact', inboxFaults.contact)
}

/** The kind of a contact that is in the form in which contacts are compared. */
export const fieldOf = (contact: string): Contact['field'] => (contact.includes('@') ? 'email' : 'phone')

/** The contacts of a lead. Empty once it has been erased. */
export function contactsOfLead({ personal }: Pick<StoredLead, 'personal'>): Contact[] {
  if (personal === null) return []
  const { phone, email } = contactsOf(decodePersonal(personal).content)
  const contacts: Contact[] = [
    { field: 'phone', value: phone },
    { field: 'email', value: email },
  ]
  return contacts.filter(({ value }) => value !== '')
}
