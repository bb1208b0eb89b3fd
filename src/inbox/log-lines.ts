import type { Erasure, OptOut } from './stored-lead.ts'

/** The messages of the log lines about an erasure and about an opt-out. */
export const erasureMessage = 'lead erased'
export const optOutMessage = 'opt-out recorded'

/** What a whole line of the log or of a consumer has. */
export const recordTexts: readonly string[] = [erasureMessage, optOutMessage, 'erase again: ', 'opt-out again: ']

/** What a line tells of a lead. */
export interface Recorded {
  id: string
  /** The log of the service, or a consumer and whoever wrote an id alone. */
  source: 'log' | 'other'
  erasure?: Erasure | undefined
  /** When the opt-out that the lead showed was recorded. */
  optedOutAt?: string | undefined
}

/** The form of the caller names that the service logs. The database may refuse other texts. */
const callerName = /^[\x20-\x7e]{1,512}$/

const optOutForm =
  /^(?<contactHash>[0-9a-f]{64}) (?<keyId>[0-9a-f]{16}) (?<how>[a-z_]{1,30}) (?<channels>(?:(?:phone|text|email),?)*)$/

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

/** A line of a consumer, as examples/ write it after a restore. A log collector may have added a prefix. */
const consumerLine = /(?:^|\s)(?<what>erase|opt-out) again: (?<id>[0-9a-f-]{36})(?: (?<at>\S+))?$/

/**
 * Parses a log line of the service, a line of a consumer, or an id alone, which is an erasure by request at `now`.
 * Undefined: the line tells of neither an erasure nor an opt-out, or the opt-out's time is not in the past.
 */
export function parseRecord(line: string, now: string): Recorded | { optOut: OptOut } | undefined {
  const text = line.trim()
  const { what, id = text, at } = consumerLine.exec(text)?.groups ?? {}
  if (uuid.exec(id)?.[0] === id) {
    const lead = { id: id.toLowerCase(), source: 'other' } as const
    if (what !== 'opt-out') return { ...lead, erasure: { at: now, reason: 'request', caller: null } }
    const optedOutAt = parsePast(at, now)
    return optedOutAt === undefined ? undefined : { ...lead, optedOutAt }
  }
  if (!text.includes(erasureMessage) && !text.includes(optOutMessage)) return undefined
  // A log collector may have added a prefix.
  const members = parse(text.slice(text.indexOf('{')))
  const { msg, leadId, erasedAt, reason, caller, optOut } = members
  if (msg === optOutMessage) return parseOptOut(members, now)
  if (msg !== erasureMessage || typeof leadId !== 'string' || uuid.exec(leadId)?.[0] !== leadId) return undefined
  const erasure: Erasure = {
    at: parsePast(erasedAt, now) ?? now,
    reason: reason === 'retention' ? 'retention' : 'request',
    caller: parseCaller(caller),
  }
  const optedOutAt = optOut === true ? erasure.at : parsePast(members.optedOutAt, now)
  return { id: leadId.toLowerCase(), source: 'log', erasure, optedOutAt }
}

function parseOptOut(members: Record<string, unknown>, now: string): { optOut: OptOut } | undefined {
  const text = ['contactHash', 'keyId', 'how', 'channels'].map((name) => members[name]).join(' ')
  const { contactHash, keyId = '', how = '', channels = '' } = optOutForm.exec(text)?.groups ?? {}
  const recordedAt = parsePast(members.recordedAt, now)
  if (contactHash === undefined || recordedAt === undefined) return undefined
  const saidAt = parsePast(members.saidAt, now) ?? recordedAt
  const caller = parseCaller(members.caller)
  return {
    optOut: { contactHash, keyId, channels: channels.split(',').filter(Boolean), saidAt, how, recordedAt, caller },
  }
}

function parseCaller(text: unknown): string | null {
  return typeof text === 'string' && callerName.test(text) ? text : null
}

/** A time since 1970, in the form of a receipt. */
function parsePast(text: unknown, now: string): string | undefined {
  const ms = Date.parse(String(text))
  return ms > 0 && ms <= Date.parse(now) ? new Date(ms).toISOString() : undefined
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
