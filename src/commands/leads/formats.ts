import { styleText } from 'node:util'
import { create, toJsonString } from '@bufbuild/protobuf'
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import { type OptOut, OptOutHowSchema } from '../../gen/leadintake/v1/inbox_pb.ts'
import type { Lead } from '../../gen/leadintake/v1/lead_pb.ts'
import { type Channel, ChannelSchema, ErasureReason, LeadKind, LeadSchema } from '../../gen/leadintake/v1/lead_pb.ts'
import { dayOnly } from '../../inbox/stored-lead.ts'
import { printable } from '../../template.ts'

/** Converts a caller's text to one safe line, for a terminal or a spreadsheet. */
export function toSafeLine(text: string): string {
  return printable(text.replaceAll(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ')).trim()
}

/** How a person opted out, in the form of the command line: `replied-stop`. */
export const nameHow = (how: OptOut['how']) =>
  (OptOutHowSchema.value[how]?.localName ?? '').toLowerCase().replaceAll('_', '-')

export const nameChannels = (channels: readonly Channel[], between = ' ') =>
  channels.map((channel) => ChannelSchema.value[channel]?.localName.toLowerCase()).join(between) || 'all'

/** The channels that a contact opted out of, or nothing if it did not. */
export const nameListed = (optOuts: readonly Pick<OptOut, 'channels'>[]) =>
  optOuts.map(({ channels }) => nameChannels(channels, ', ')).join('; ')

/** Everything about a lead. Its texts keep their line breaks and tabs. */
const toSafe = (lead: Lead): object =>
  JSON.parse(toJsonString(LeadSchema, lead), (_, value) => (typeof value === 'string' ? printable(value) : value))

export const toJsonLine = (lead: Lead) => `${JSON.stringify(toSafe(lead))}\n`

export function describeListed({ contact, channels, how, saidAt, recordedAt }: OptOut): string {
  const verb = time(saidAt) === time(recordedAt) ? 'recorded' : 'said'
  const named = channels.length > 0 ? nameChannels(channels, ', ') : 'all channels'
  return `${toSafeLine(contact)} for ${named}, ${nameHow(how)}, ${verb} ${localDay(time(saidAt))} local time`
}

export function showLead(lead: Lead, optOuts: readonly OptOut[] = []): string {
  const optOut = describeOptOut(lead)
  const lines = optOut ? [['opt-out', optOut]] : []
  lines.push(...optOuts.map((optOut) => ['opted out', describeListed(optOut)]))
  lines.push(...flatten('', toSafe(lead)))
  const width = Math.max(...lines.map(([name = '']) => name.length)) + 2
  const indent = `\n${' '.repeat(width)}`
  return lines.map(([name = '', value = '']) => `${name.padEnd(width)}${value.replaceAll('\n', indent)}\n`).join('')
}

function flatten(path: string, value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]]
  return Object.entries(value).flatMap(([name, member]) => flatten(path === '' ? name : `${path}.${name}`, member))
}

const fields = ['name', 'phone', 'email', 'bedrooms', 'bathrooms', 'service', 'notes', 'helpWith', 'message'] as const
type Texts = Record<(typeof fields)[number], string>

/** Flattens a lead to one-line texts, empty if unknown. The members, in this order, are the columns of the CSV. */
function toRecord(lead: Lead) {
  const content: Partial<Texts> = lead.content.value ?? {}
  const texts = Object.fromEntries(fields.map((name) => [name, toSafeLine(content[name] ?? '')])) as Texts
  const byAge = lead.erasedReason === ErasureReason.RETENTION
  return {
    id: toSafeLine(lead.id),
    receivedAt: time(lead.receivedAt),
    kind: lead.kind === LeadKind.SUPPORT ? 'support' : 'quote',
    ...texts,
    communicationsConsent: String(lead.consent?.communicationsConsent ?? ''),
    consentTimestamp: toSafeLine(lead.consent?.consentTimestamp ?? ''),
    pageUrl: toSafeLine(lead.consent?.pageUrl ?? ''),
    optedOutAt: time(lead.optedOutAt),
    optOut: describeOptOut(lead),
    possibleOptOut: String(lead.possibleOptOut),
    erasedAt: time(lead.erasedAt),
    erasedReason: lead.erased ? (byAge ? 'retention' : 'request') : '',
  }
}

/** By the number of the channel. */
const verbs = ['CONTACT', 'CALL', 'TEXT', 'E-MAIL']

/** What must be known before calling or writing. No submission lifts an opt-out. */
function describeOptOut({ kind, receivedAt, optedOutAt, optedOutChannels, possibleOptOut }: Lead): string {
  const isLater = optedOutAt !== undefined && time(receivedAt) > time(optedOutAt)
  const after = isLater ? ', sent after the one recorded' : ''
  const possible = possibleOptOut ? `READ TODAY: this may be an opt-out${after}` : ''
  if (!optedOutAt) return possible
  const wait = ': wait until they call or write. They opted out before this request, check by hand'
  const later = kind === LeadKind.QUOTE ? wait : ', except to answer this message, by e-mail'
  const whole = `DO NOT CONTACT${isLater ? later : ''}`
  const part = `DO NOT ${optedOutChannels.map((channel) => verbs[channel] ?? 'CONTACT').join(' OR ')}`
  return [optedOutChannels.length > 0 ? part : whole, possible].filter(Boolean).join('. ')
}

export const time = (timestamp: Timestamp | undefined) => (timestamp ? timestampDate(timestamp).toISOString() : '')

/** The start of a cell that a spreadsheet takes for a formula. Some also start a cell after each semicolon. */
const formula = /(^|;)(?=[\s"]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/g

/** The first line of the CSV (RFC 4180), after the byte order mark by which Excel recognizes UTF-8. */
export const csvHeader = `\ufeff${toLine(Object.keys(toRecord(create(LeadSchema))))}`

/** A line of the CSV. Cells have no line breaks, where some spreadsheets start a row, perhaps with a formula. */
export const toCsvLine = (lead: Lead) => toLine(Object.values(toRecord(lead)))

/** Renders cells as a line of CSV: quoted, and with an apostrophe that turns a formula into text. */
export function toLine(cells: readonly string[]): string {
  const safe = cells.map((text) => text.replace(formula, "$1'").replaceAll('"', '""'))
  return `${safe.map((text) => `"${text}"`).join(',')}\r\n`
}

/** A line of the table. Widths are in characters; a longer text moves the next ones. */
export const toColumns = (cells: readonly string[], widths: readonly number[]) =>
  cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')

const widths = [16, 7, 20, 12]

export const tableHeader = `${styleText('bold', toColumns(['RECEIVED (local)', 'KIND', 'NAME', 'PHONE', 'E-MAIL'], widths))}\n`

export function toTableRow(lead: Lead): string {
  const { receivedAt, kind, erasedAt, name, email, id, optOut, ...record } = toRecord(lead)
  const phone = record.phone.replace(/^(\d{3})(\d{3})(\d{4})$/, '$1-$2-$3')
  const line = toColumns([localTime(receivedAt), kind, erasedAt ? '(erased)' : name, phone, email], widths).trimEnd()
  if (erasedAt) {
    const why = record.erasedReason === 'retention' ? 'by age' : 'by hand'
    return `${styleText('dim', `${line}\n  ${id}\n  erased ${why}`)}\n`
  }
  const home = `${record.service}, ${record.bedrooms} bed, ${record.bathrooms} bath: ${record.notes}`
  const request = kind === 'support' ? `${record.helpWith}: ${record.message}` : home
  const since = record.optedOutAt && ` (opt-out recorded ${localTime(record.optedOutAt)} local time)`
  if (!optOut) return `${line}\n  ${id}\n  ${request}\n`
  return `${styleText('red', `${line}\n  ${id}\n  ${optOut}${since}. ${request}`)}\n`
}

export const localDay = (iso: string) => (iso.endsWith(dayOnly) ? iso.slice(0, 10) : localTime(iso))

/** Date and time in this machine's time zone, such as 2026-11-22 14:05. */
export const localTime = (iso: string) => iso && new Date(iso).toLocaleString('sv').slice(0, 16)
