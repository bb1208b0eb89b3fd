import { LeadError } from '../lead/error.ts'
import { contactsOf, normalizeField } from '../lead/normalize.ts'
import { faultOf, leadRules } from '../lead/rules.ts'
import { inboxFaults } from '../words/inbox.ts'
import { type Contact, uuid } from './stored-lead.ts'

export function invalid(field: string, words: { detail: string; hint: string }): LeadError {
  const faults = [faultOf(field, 'invalid_value', words)]
  return new LeadError('invalid_argument', { detail: `${field} ${words.detail}.`, faults })
}

/** An outage of the inbox. A failover takes about as long as the caller is to wait. */
export const unavailable = (detail?: string, cause?: unknown) =>
  new LeadError('inbox_unavailable', { detail, retryAfterSeconds: 5, cause })

export function parseId(id: string): string {
  if (uuid.test(id)) return id.toLowerCase()
  throw invalid('id', inboxFaults.id)
}

const rules = new Map(leadRules.quote.map((rule) => [rule.name, rule]))

export const contactFields = ['phone', 'email'] as const

/** Parses an e-mail address or phone number in any form that a submission may use. Throws `invalid_argument`. */
export function parseContact(text: string): Contact {
  // Longer text is rejected without parsing.
  if (text.length <= 320 && text.isWellFormed()) {
    for (const field of contactFields) {
      const value = normalizeField(field, text)
      const rule = rules.get(field)
      if (value.length <= Number(rule?.maxLength) && rule?.pattern?.test(value))
        return { field, value: contactsOf({ [field]: value })[field] }
    }
  }
  throw invalid('contact', inboxFaults.contact)
}
