import { LeadError } from '../lead/error.ts'
import { faultOf } from '../lead/rules.ts'
import type { LeadKind } from '../lead/submission.ts'
import type { LeadFilter } from './stored-lead.ts'

/** The range of a `google.protobuf.Timestamp`: the years 1 to 9999. */
const timeBounds = { minMs: Date.parse('0001-01-01T00:00:00Z'), maxMs: Date.parse('9999-12-31T23:59:59.999Z') }

const pageSizeBounds = { default: 50, max: 500 }

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const consumerName = /^[A-Za-z0-9._-]{1,50}$/

/** Creates an `invalid_argument` error for a field. `detail` completes a sentence that starts with the field's name. */
export function invalid(field: string, detail: string, hint: string): LeadError {
  const fault = faultOf(field, 'invalid_value', { detail, hint })
  return new LeadError('invalid_argument', `${field} ${detail}.`, { faults: [fault] })
}

export function parseId(id: string): string {
  const text = id.toLowerCase()
  if (uuid.test(text)) return text
  throw invalid('id', 'must be the id of a lead: a UUID', 'Send the id as a receipt or ListLeads has given it.')
}

/** 0 means the default. */
export function parsePageSize(size: number): number {
  const { default: usual, max } = pageSizeBounds
  if (size === 0) return usual
  if (size >= 1 && size <= max) return size
  throw invalid('pageSize', `must be 1 to ${max}`, `Ask for at most ${max} leads, and for more by pages.`)
}

/** Checks a time, and formats it as RFC 3339 in UTC with milliseconds. */
export function parseTime(field: string, ms: number): string {
  if (ms >= timeBounds.minMs && ms <= timeBounds.maxMs) return new Date(ms).toISOString()
  throw invalid(field, 'must be a time in the years 1 to 9999', 'Send a valid google.protobuf.Timestamp.')
}

/** Times are whole milliseconds since the epoch. */
export interface FilterInput {
  kind: LeadKind | undefined
  receivedAfterMs: number | undefined
  receivedBeforeMs: number | undefined
}

export function parseFilter({ kind, receivedAfterMs, receivedBeforeMs }: FilterInput): LeadFilter {
  const receivedAfter = receivedAfterMs === undefined ? undefined : parseTime('receivedAfter', receivedAfterMs)
  const receivedBefore = receivedBeforeMs === undefined ? undefined : parseTime('receivedBefore', receivedBeforeMs)
  if (receivedAfter !== undefined && receivedBefore !== undefined && receivedBefore <= receivedAfter) {
    throw invalid('receivedBefore', 'must be later than receivedAfter', 'Send the later of the two times here.')
  }
  return { kind, receivedAfter, receivedBefore }
}

/** Empty: the consumer did not identify itself. */
export function requireConsumerName(name: string): string {
  if (name === '' || consumerName.test(name)) return name
  throw invalid(
    'consumer',
    'must be 1 to 50 letters, digits, dots, dashes or underscores',
    'Send a name such as "crm", the same with every call of this consumer.',
  )
}
