import { LeadError } from '../lead/error.ts'
import { contactsOf, normalizeField } from '../lead/normalize.ts'
import { faultOf, leadRules } from '../lead/rules.ts'
import type { LeadKind } from '../lead/submission.ts'
import { inboxFaults } from '../words/inbox.ts'
import { type Contact, type LeadFilter, uuid } from './stored-lead.ts'

/** The range of a `google.protobuf.Timestamp`. */
const firstMs = Date.parse('0001-01-01T00:00:00Z')
const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

export function invalid(field: string, words: { detail: string; hint: string }): LeadError {
  const faults = [faultOf(field, 'invalid_value', words)]
  return new LeadError('invalid_argument', { detail: `${field} ${words.detail}.`, faults })
}

export function parseId(id: string): string {
  if (uuid.test(id)) return id.toLowerCase()
  throw invalid('id', inboxFaults.id)
}

export function parsePageSize(size: number): number {
  if (size === 0) return 50
  if (size >= 1 && size <= 500) return size
  throw invalid('pageSize', inboxFaults.page_size)
}

/** Returns RFC 3339 in UTC with milliseconds. */
export function parseTime(field: string, ms: number): string {
  if (ms >= firstMs && ms <= lastMs) return new Date(ms).toISOString()
  throw invalid(field, inboxFaults.time)
}

export interface FilterInput {
  kind: LeadKind | undefined
  receivedAfterMs: number | undefined
  receivedBeforeMs: number | undefined
}

export function parseFilter({ kind, receivedAfterMs, receivedBeforeMs }: FilterInput): LeadFilter {
  const receivedAfter = receivedAfterMs === undefined ? undefined : parseTime('receivedAfter', receivedAfterMs)
  const receivedBefore = receivedBeforeMs === undefined ? undefined : parseTime('receivedBefore', receivedBeforeMs)
  if (receivedAfter !== undefined && receivedBefore !== undefined && receivedBefore <= receivedAfter)
    throw invalid('receivedBefore', inboxFaults.received_before)
  return { kind, receivedAfter, receivedBefore }
}

export function requireConsumerName(name: string): void {
  if (!/^[A-Za-z0-9._-]{0,50}$/.test(name)) throw invalid('consumer', inboxFaults.consumer)
}

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
