import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dayOnly } from '../inbox/stored-lead.ts'
import { parseUtcDateTime } from '../lead/check-value.ts'
import { escapeHtml, fillTemplate, printable, type Value } from '../template.ts'
import { isPossibleOptOut } from './possible-opt-out.ts'
import type { ConsentRecord } from './record.ts'

// All sentences are in the template. The build copies it next to the bundle.
const template = readFileSync(join(import.meta.dirname, 'record.html'), 'utf8')

/** Escapes any value, since SQLite may return bytes instead of a text. */
const safe = (value: unknown) => escapeHtml(printable(String(value)))

function rowsOf(rows: [name: string, value: string][]): Value {
  const source = rows.map(([name, value]) => `<tr><th>${safe(name)}</th><td>${safe(value)}</td></tr>`).join('\n')
  return source ? { source } : undefined
}

const ownRows = ['formType', 'communicationsConsent', 'consentTimestamp', 'pageUrl']

const showText = ({ text }: ConsentRecord['wording']) =>
  text ?? 'The database has no text with this hash: it was removed or altered.'

/** Renders a record as one page to print. `timeZone` is that of local times, such as `America/Chicago`. */
export function renderRecord(record: ConsentRecord, timeZone?: string): string {
  const { evidence, personal, erasure, presented, wording, kind } = record
  const { path, consentTimestamp, caller } = evidence
  const local = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'long', timeZone })
  const inBoth = (iso: string) => {
    const ms = parseUtcDateTime(iso)
    return ms === undefined ? iso : `${iso} (${local.format(ms)})`
  }
  const dayOf = (iso: string) => (iso.endsWith(dayOnly) ? iso.slice(0, 10) : inBoth(iso))
  const time = (iso: string | null | undefined) => (iso ? inBoth(iso) : undefined)
  const [businessName = '', ...businessContact] = (record.business.text ?? '').split('\n')
  const { since } = presented ?? wording
  const consentMs = parseUtcDateTime(consentTimestamp ?? '') ?? Number.NaN
  const isAltered = personal?.fits === false
  const texts = [record.business, record.statement, wording, presented ?? wording]
  const sent = Object.entries(personal?.content ?? {}).filter(([field]) => !ownRows.includes(field))
  const optOuts = record.optOuts.map(({ contact, name, channels, ...optOut }): [string, string] => {
    const stated = optOut.saidAt === optOut.recordedAt ? '' : `said ${dayOf(optOut.saidAt)} `
    const said = optOut.how === 'restore' ? 'time not known: reported by a copy after a restore ' : stated
    const ways = `${optOut.how.replaceAll('_', ' ')}; ${channels.join(', ') || 'all channels'}${name ? `; name given: ${name}` : ''}`
    const by = optOut.caller ? ` by ${optOut.caller}` : ''
    return [contact, `${said}(${ways}). Recorded ${inBoth(optOut.recordedAt)}${by}`]
  })
  return fillTemplate(
    template,
    {
      id: record.id,
      isQuote: kind === 'quote',
      title: kind === 'quote' ? 'Record of consent' : 'Record of a contact message',
      businessName,
      businessContact: businessContact.join(' · '),
      received: inBoth(record.receivedAt),
      consented: evidence.communicationsConsent ?? false,
      consentTime: time(consentTimestamp),
      early: since && consentMs < Date.parse(since) && inBoth(since),
      late: consentMs > Date.parse(record.receivedAt),
      purpose: evidence.purpose,
      isRpc: path === 'rpc',
      isLegacy: path === 'rest-legacy',
      caller,
      noOrigin: evidence.originSent === false,
      optedOut: time(record.optedOutAt),
      issued: inBoth(record.issuedAt),
      wordingVersion: evidence.wordingVersion,
      wording: showText(wording),
      other: presented && presented.sha256 !== wording.sha256,
      presentedVersion: evidence.presentedVersion ?? '',
      presented: presented && showText(presented),
      statement: showText(record.statement),
      isKept: personal !== undefined,
      sent: rowsOf(sent.map(([field, value]) => [field, String(value)])) ?? '',
      pageUrl: personal?.content.pageUrl,
      mayOptOut: isPossibleOptOut(personal?.content ?? {}),
      clientAddress: personal?.clientAddress,
      userAgent: personal?.userAgent,
      erased: time(erasure?.at),
      erasedWhy: `${erasure?.reason === 'retention' ? 'by age' : 'by hand or by a program'}${erasure?.caller ? `, caller ${erasure.caller}` : ''}`,
      optOuts: rowsOf(optOuts),
      evidenceSha256: record.evidenceSha256,
      isAltered,
      isWhole: !isAltered && Boolean(personal || erasure) && texts.every(({ text }) => text !== undefined),
    },
    safe,
  )
}
