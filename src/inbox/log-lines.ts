import type { Erasure, Stop } from './stored-lead.ts'

/** The messages of the log lines about an erasure and about a stop. */
export const erasureMessage = 'lead erased'
export const stopMessage = 'stop recorded'

/** What a whole line of the log or of a consumer has. */
export const recordTexts: readonly string[] = [erasureMessage, stopMessage, 'erase again: ', 'stop again: ']

/** What a line tells of a lead. */
export interface Recorded {
  id: string
  /** The log of the service, or a consumer and whoever wrote an id alone. */
  source: 'log' | 'other'
  erasure?: Erasure | undefined
  /** When the stop that the lead showed was recorded. */
  stopAt?: string | undefined
}

/** The form of the caller names that the service logs. The database may refuse other texts. */
const callerName = /^[\x20-\x7e]{1,512}$/

const stopForm =
  /^(?<contactHash>[0-9a-f]{64}) (?<keyId>[0-9a-f]{16}) (?<how>[a-z_]{1,30}) (?<channels>(?:(?:phone|text|email),?)*)$/

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

/** A line of a consumer, as examples/ write it after a restore. A log collector may have added a prefix. */
const consumerLine = /(?:^|\s)(?<what>erase|stop) again: (?<id>[0-9a-f-]{36})(?: (?<at>\S+))?$/

/**
 * Parses a log line of the service, a line of a consumer, or an id alone, which is an erasure by request at `now`.
 * Undefined: the line tells of neither an erasure nor a stop, or the stop's time is not in the past.
 */
export function parseRecord(line: string, now: string): Recorded | { stop: Stop } | undefined {
  const text = line.trim()
  const { what, id = text, at } = consumerLine.exec(text)?.groups ?? {}
  if (uuid.exec(id)?.[0] === id) {
    const lead = { id: id.toLowerCase(), source: 'other' } as const
    if (what !== 'stop') return { ...lead, erasure: { at: now, reason: 'request', caller: null } }
    const stopAt = parsePast(at, now)
    return stopAt === undefined ? undefined : { ...lead, stopAt }
  }
  if (!text.includes(erasureMessage) && !text.includes(stopMessage)) return undefined
  // A log collector may have added a prefix.
  const members = parse(text.slice(text.indexOf('{')))
  const { msg, leadId, erasedAt, reason, caller, stop, stoppedAt } = members
  if (msg === stopMessage) return parseStop(members, now)
  if (msg !== erasureMessage || typeof leadId !== 'string' || uuid.exec(leadId)?.[0] !== leadId) return undefined
  const erasure: Erasure = {
    at: parsePast(erasedAt, now) ?? now,
    reason: reason === 'retention' ? 'retention' : 'request',
    caller: parseCaller(caller),
  }
  const stopAt = stop === true ? erasure.at : parsePast(stoppedAt, now)
  return { id: leadId.toLowerCase(), source: 'log', erasure, stopAt }
}

function parseStop(members: Record<string, unknown>, now: string): { stop: Stop } | undefined {
  const text = ['contactHash', 'keyId', 'how', 'channels'].map((name) => members[name]).join(' ')
  const { contactHash, keyId = '', how = '', channels = '' } = stopForm.exec(text)?.groups ?? {}
  const recordedAt = parsePast(members.recordedAt, now)
  if (contactHash === undefined || recordedAt === undefined) return undefined
  const saidAt = parsePast(members.saidAt, now) ?? recordedAt
  const caller = parseCaller(members.caller)
  return {
    stop: { contactHash, keyId, channels: channels.split(',').filter(Boolean), saidAt, how, recordedAt, caller },
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
