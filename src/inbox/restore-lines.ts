import { hash } from 'node:crypto'
import { fieldOf } from './contact.ts'
import { uuid } from './parse-fields.ts'
import type { Contact, Erasure, NewOptOut, Time } from './stored-lead.ts'

// The lines of the log, of consumers and of the printed list, from which `npm run erasures:reapply` repeats erasures and
// opt-outs after a restore. Those of the log and of consumers have no contact and no name.

const erasureMessage = 'lead erased'
const optOutMessage = 'opt-out recorded'

/** The members and the message of a line to log. */
export const erasureLine = (leadId: string, { at, reason, caller }: Erasure) =>
  [{ leadId, erasedAt: at, reason, caller }, erasureMessage] as const

/** Names leads in place of the contact. */
export const optOutLine = ({ id, contact, name: _, ...optOut }: NewOptOut) =>
  [{ optOutId: id, contactField: contact.field, ...optOut }, optOutMessage] as const

/** Part of every line that has a record. */
export const recordTexts: readonly string[] = [erasureMessage, optOutMessage, 'erase again: ', 'opt-out again: ']

/** A line of the service's log, or the first of the printed list: the file is what it should be, even without records. */
export const familiarLine = /"msg":"|^\ufeff?"phone",/

/** An opt-out of the printed list, or of the log, which has no contact: the leads say whose it is. */
export type RepeatedOptOut = Omit<NewOptOut, 'contact'> & { contact?: Contact; contactField: Contact['field'] }

/** What a line has. `seen`: when the opt-out was recorded that a consumer's copy of a lead shows. */
export type Restorable =
  | { optOut: RepeatedOptOut }
  | { seen: { id: string; optedOutAt: Time } }
  | { erased: { id: string; erasure: Erasure } }

const isId = (value: unknown): value is string => typeof value === 'string' && uuid.test(value)

/** A line of a consumer, as examples/ write it after a restore. A log collector may have added a prefix. */
const consumerLine = /(?:^|\s)(?<what>erase|opt-out) again: (?<id>[0-9a-f-]{36})(?: (?<at>\S+))?$/

/** The apostrophe that keeps a cell from being a formula. */
const guard = /(^|;)'(?=[\s"]*[=+\-@\t\r＝＋－＠])/g

const channelNames = ['phone', 'text', 'email']

/**
 * Parses a log line of the service, a line of a consumer or of the list, or an id alone, which is an erasure by request
 * at `now`. Undefined: the line has no record, or the opt-out's time is not in the past.
 */
export function parseRecord(line: string, now: Time): Restorable | undefined {
  const text = line.trim()
  if (text.startsWith('"')) return parseListed(text, now)
  const { what, id = text, at } = consumerLine.exec(text)?.groups ?? {}
  if (isId(id)) {
    const erasure = { at: now, reason: 'request', caller: null } as const
    if (what !== 'opt-out') return { erased: { id: id.toLowerCase(), erasure } }
    const optedOutAt = parsePast(at, now)
    return optedOutAt === undefined ? undefined : { seen: { id: id.toLowerCase(), optedOutAt } }
  }
  if (!recordTexts.some((part) => text.includes(part))) return undefined
  let members: Record<string, unknown>
  try {
    // A log collector may have added a prefix.
    members = JSON.parse(text.slice(text.indexOf('{')))
  } catch {
    return undefined
  }
  if (members.msg === optOutMessage) return parseOptOut(members, now)
  if (members.msg === erasureMessage) return parseErasure(members, now)
  return undefined
}

function parseErasure({ leadId, erasedAt, reason, caller }: Record<string, unknown>, now: Time) {
  if (!isId(leadId)) return undefined
  const erasure: Erasure = {
    at: parsePast(erasedAt, now) ?? now,
    reason: reason === 'retention' ? 'retention' : 'request',
    caller: parseCaller(caller),
  }
  return { erased: { id: leadId.toLowerCase(), erasure } }
}

function parseOptOut(members: Record<string, unknown>, now: Time): Restorable | undefined {
  const { optOutId: id, contactField, leadIds, channels, how, saidAt, caller } = members
  const recordedAt = parsePast(members.recordedAt, now)
  if (!isId(id) || recordedAt === undefined || (contactField !== 'phone' && contactField !== 'email')) return undefined
  if (typeof how !== 'string' || !/^[a-z_]{1,30}$/.test(how)) return undefined
  if (!Array.isArray(leadIds) || !leadIds.every(isId)) return undefined
  if (!Array.isArray(channels) || !channels.every((name) => channelNames.includes(name))) return undefined
  const times = { saidAt: parsePast(saidAt, now) ?? recordedAt, recordedAt }
  return { optOut: { id, contactField, leadIds, name: null, channels, how, ...times, caller: parseCaller(caller) } }
}

/** The inverse of a line of `npm run do-not-contact -- --csv`. */
function parseListed(text: string, now: Time): Restorable | undefined {
  const cells = Array.from(text.matchAll(/"((?:[^"]|"")*)"/g), ([, cell = '']) =>
    cell.replaceAll('""', '"').replace(guard, '$1'),
  )
  const [phone = '', email, said, recorded, how = '', channels = '', name, caller, id] = cells
  const value = email || phone.replace(/^\+1/, '')
  const recordedAt = parsePast(recorded, now)
  if (recordedAt === undefined || !/^(?:\d{10}|\S+@\S+)$/.test(value)) return undefined
  const contactField = fieldOf(value)
  return {
    optOut: {
      // Somebody may have added the line by hand. The next time, it is the same opt-out.
      id: isId(id) ? id : `00000000-0000-0000-0000-${hash('sha256', `${value} ${recordedAt}`).slice(0, 12)}`,
      contact: { field: contactField, value },
      contactField,
      leadIds: [],
      name: name || null,
      channels: channelNames.filter((channel) => channels.split(' ').includes(channel)),
      saidAt: parsePast(said, now) ?? recordedAt,
      how: how.replaceAll('-', '_') || 'unspecified',
      recordedAt,
      caller: parseCaller(caller),
    },
  }
}

/** In the form of the caller names that the service logs. The database may refuse other texts. */
function parseCaller(text: unknown): string | null {
  return typeof text === 'string' && /^[\x20-\x7e]{1,512}$/.test(text) ? text : null
}

function parsePast(text: unknown, now: Time): Time | undefined {
  const ms = Date.parse(String(text))
  return ms > 0 && ms <= Date.parse(now) ? new Date(ms).toISOString() : undefined
}
