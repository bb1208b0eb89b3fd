import { create } from '@bufbuild/protobuf'
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import { ErasureReason, type Lead, LeadKind, LeadSchema } from '../gen/leadintake/v1/lead_pb.ts'

/**
 * Characters that could control a terminal or disguise text: control characters, bidirectional ones, line separators
 * and lone surrogates.
 */
const steering = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu

/** Converts a caller's text to one safe line, for a terminal or a spreadsheet. */
export function toPlainLine(text: string): string {
  return text
    .replaceAll(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ')
    .replaceAll(steering, '')
    .trim()
}

/** Cleans every string in a JSON value. Keeps line breaks and tabs, because JSON escapes them. */
export function cleanJson(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(steering, (character) => (/[\t\n\r]/.test(character) ? character : ''))
  }
  if (Array.isArray(value)) return value.map(cleanJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cleanJson(member)]))
}

/** A lead as a flat record of one-line texts. Unknown values are empty. */
export type LeadRecord = ReturnType<typeof toRecord>

/** Flattens a lead. The members, in this order, are the columns of the CSV. */
export function toRecord(lead: Lead) {
  const quote = lead.content.case === 'quoteRequest' ? lead.content.value : undefined
  const contact = lead.content.case === 'contactMessage' ? lead.content.value : undefined
  const person = quote ?? contact
  const text = (value: string | undefined) => toPlainLine(value ?? '')
  return {
    id: text(lead.id),
    receivedAt: time(lead.receivedAt),
    kind: lead.kind === LeadKind.SUPPORT ? 'support' : 'quote',
    name: text(person?.name),
    phone: text(person?.phone),
    email: text(person?.email),
    bedrooms: text(quote?.bedrooms),
    bathrooms: text(quote?.bathrooms),
    service: text(quote?.service),
    notes: text(quote?.notes),
    helpWith: text(contact?.helpWith),
    message: text(contact?.message),
    communicationsConsent: String(lead.consent?.communicationsConsent ?? ''),
    consentTimestamp: text(lead.consent?.consentTimestamp),
    pageUrl: text(lead.consent?.pageUrl),
    stoppedAt: time(lead.stoppedAt),
    erasedAt: time(lead.erasedAt),
    erasedReason: reason(lead),
  }
}

function time(timestamp: Timestamp | undefined): string {
  return timestamp ? timestampDate(timestamp).toISOString() : ''
}

function reason({ erased, erasedReason }: Lead): string {
  if (!erased) return ''
  return erasedReason === ErasureReason.RETENTION ? 'retention' : 'request'
}

/** The start of a cell that spreadsheets treat as a formula, in normal or full-width characters. */
const formula = /^\s*[=+\-@\t\r＝＋－＠]/

/** The first line of the CSV (RFC 4180), after a byte order mark: without it, Excel takes the text for another encoding. */
export const csvHeader: string = `\ufeff${toLine(Object.keys(toRecord(create(LeadSchema))))}`

/**
 * Formats a lead as one line. Cells contain no line breaks: a spreadsheet that expects semicolons would start a new row
 * there, which could be a formula.
 */
export function toCsvLine(lead: Lead): string {
  return toLine(Object.values(toRecord(lead)))
}

function toLine(cells: readonly string[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

/** An apostrophe turns a formula into text. Every cell is quoted, so that none ends early. */
function toCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}
