import { hash } from 'node:crypto'
import { type Contact, type Erasure, type InboxStore, type NewOptOut, type Time, uuid } from '../inbox/stored-lead.ts'

// The lines from which `npm run erasures:reapply` repeats erasures and opt-outs after a restore: of the log, of
// consumers, and of the printed do-not-contact list. Only the list contains contacts and names.

const erasureMessage = 'lead erased'
const optOutMessage = 'opt-out recorded'

/** The part of the log that records use. */
export interface Witness {
  info(facts: object, message: string): void
  flush(done: () => void): void
}

/**
 * Logs every opt-out and erasure before it is made, so that none can be committed without its line. After a restore,
 * `npm run erasures:reapply` repeats them from this log. A reader of the log that has stalled delays them by a second.
 */
export function logRecords(inbox: InboxStore, witness: Witness): InboxStore {
  const linesWritten = () => new Promise<void>((resolve) => witness.flush(() => resolve()))
  /** With the leads' ids in place of the contact and the name. */
  const logOptOut = ({ id, contact, name: _, ...optOut }: NewOptOut) =>
    witness.info({ optOutId: id, contactField: contact.field, ...optOut }, optOutMessage)
  return {
    ...inbox,
    async recordOptOut(optOut) {
      logOptOut(optOut)
      await linesWritten()
      return inbox.recordOptOut(optOut)
    },
    async erase(ids, erasure, optOuts = []) {
      optOuts.forEach(logOptOut)
      const { at: erasedAt, reason, caller } = erasure
      for (const leadId of ids) witness.info({ leadId, erasedAt, reason, caller }, erasureMessage)
      await linesWritten()
      return inbox.erase(ids, erasure, optOuts)
    },
  }
}

/** Every line of the log or of a consumer that has a record contains one of these. */
export const recordTexts: readonly string[] = [erasureMessage, optOutMessage, 'erase again: ', 'opt-out again: ']

/** A line of the service's log, or the first line of the printed list: the right file, even without records. */
export const familiarLine = /"msg":"|^\ufeff?"phone",/

/** An opt-out from the printed list, or from the log, where only the leads tell whose it is. */
export type RestorableOptOut = Omit<NewOptOut, 'contact'> & { contact?: Contact; contactField: Contact['field'] }

/** The record in a line. `reported` is the opt-out of a lead in a consumer's copy. */
export type Restorable =
  | { optOut: RestorableOptOut }
  | { reported: { id: string; optedOutAt: Time } }
  | { erased: { id: string; erasure: Erasure } }

const isId = (value: unknown): value is string => typeof value === 'string' && uuid.test(value)

/** A line that a consumer writes after a restore, as in examples/. A log collector may have added a prefix. */
const consumerLine = /(?:^|\s)(?<what>erase|opt-out) again: (?<id>[0-9a-f-]{36})(?: (?<at>\S+))?$/

/** The apostrophe that keeps a cell from becoming a formula. */
const guard = /(^|;)'(?=[\s"]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/g

const channelNames = ['phone', 'text', 'email']

/**
 * Parses a line of the log, of a consumer or of the list. An id alone is an erasure by request at `now`. Returns
 * undefined if there is no record, or an opt-out's time is not in the past. Such a time of an erasure becomes `now`.
 */
export function parseRecord(line: string, now: Time): Restorable | undefined {
  const text = line.trim()
  if (text.startsWith('"')) return parseListed(text, now)
  const { what, id = text, at } = consumerLine.exec(text)?.groups ?? {}
  if (isId(id)) {
    const erasure = { at: now, reason: 'request', caller: null } as const
    if (what !== 'opt-out') return { erased: { id: id.toLowerCase(), erasure } }
    const optedOutAt = parsePast(at, now)
    return optedOutAt === undefined ? undefined : { reported: { id: id.toLowerCase(), optedOutAt } }
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

function parseErasure(members: Record<string, unknown>, now: Time): Restorable | undefined {
  if (!isId(members.leadId)) return undefined
  const at = parsePast(members.erasedAt, now) ?? now
  const reason = members.reason === 'retention' ? 'retention' : 'request'
  return { erased: { id: members.leadId.toLowerCase(), erasure: { at, reason, caller: parseCaller(members.caller) } } }
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

function parseListed(text: string, now: Time): Restorable | undefined {
  const cells = Array.from(text.matchAll(/"((?:[^"]|"")*)"/g), ([, cell = '']) =>
    cell.replaceAll('""', '"').replace(guard, '$1'),
  )
  const [phone = '', email, said, recorded, how = '', channels = '', name, caller, id] = cells
  const value = email || phone.replace(/^\+1/, '')
  const recordedAt = parsePast(recorded, now)
  if (recordedAt === undefined || !/^(?:\d{10}|\S+@\S+)$/.test(value)) return undefined
  const contactField = value.includes('@') ? 'email' : 'phone'
  const possible = contactField === 'email' ? ['email'] : ['phone', 'text']
  const words = channels.toLowerCase().split(/[\s,]+/)
  return {
    optOut: {
      // A line added by hand has no id. This one is the same each time.
      id: isId(id) ? id : `00000000-0000-0000-0000-${hash('sha256', `${value} ${recordedAt}`).slice(0, 12)}`,
      contact: { field: contactField, value },
      contactField,
      leadIds: [],
      name: name || null,
      // Whoever wrote anything else by hand may have meant all channels.
      channels: words.every((word) => possible.includes(word)) ? possible.filter((word) => words.includes(word)) : [],
      saidAt: parsePast(said, now) ?? recordedAt,
      how: how.replaceAll('-', '_') || 'unspecified',
      recordedAt,
      caller: parseCaller(caller),
    },
  }
}

/** Accepts only what the service itself logs as a caller's name. The database may refuse other texts. */
function parseCaller(text: unknown): string | null {
  return typeof text === 'string' && /^[\x20-\x7e]{1,512}$/.test(text) ? text : null
}

function parsePast(text: unknown, now: Time): Time | undefined {
  const ms = Date.parse(String(text))
  return ms > 0 && ms <= Date.parse(now) ? new Date(ms).toISOString() : undefined
}
