import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Via } from '../lead/submission.ts'
import { escapeHtml, printable } from '../safe-text.ts'
import { fill, type Value } from '../site/fill.ts'
import type { ConsentRecord, NamedText } from './record.ts'

// The build copies the template beside the bundle.
const template = readFileSync(join(import.meta.dirname, 'record.html'), 'utf8')

/** Escapes any value, since SQLite can hold bytes in place of a text. */
const safe = (value: unknown) => escapeHtml(printable(String(value)))

type Row = readonly [name: string, value: string | undefined]

/** The rows of a table. Undefined: there are none. */
function rowsOf(rows: readonly Row[]): Value {
  if (rows.length === 0) return undefined
  return {
    source: rows
      .map(([name, value]) => `<tr><th>${safe(name)}</th><td>${safe(value ?? 'not known')}</td></tr>`)
      .join('\n'),
  }
}

const paths: Record<Via, string> = {
  'rest-v1': 'REST, version 1',
  'rest-legacy': 'REST, the deprecated address /api/leads',
  rpc: "RPC, by one of the business's own systems",
}

/** What the first table already says. */
const shownAbove = ['formType', 'communicationsConsent', 'consentTimestamp']

/** The longest text on the page. `--json` has it in full. */
const textMax = 300
const shorten = (text: string) => (text.length > textMax ? `${text.slice(0, textMax)} … (in full with --json)` : text)

const textOf = ({ text }: NamedText) => text ?? 'The database has no text with this hash: it was removed or altered.'

/** Renders a record as one page to print. `timeZone` is that of local times, such as `America/Chicago`. */
export function renderRecord(record: ConsentRecord, timeZone?: string): string {
  const { evidence, personal, erasure, presented, wording, optOuts } = record
  const local = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'long', timeZone })
  const time = (iso: string) => (Number.isNaN(Date.parse(iso)) ? iso : `${iso} (${local.format(new Date(iso))})`)
  const isQuote = record.kind === 'quote'
  const isOther = presented !== undefined && presented.sha256 !== wording.sha256
  const [name = '', ...contact] = (record.business.text ?? '').split('\n')
  const whose =
    evidence.path === 'rpc' ? 'of the customer, as the calling system reported it' : 'of whoever sent the request'

  function consentRows(): Row[] {
    const { consentTimestamp: stated, communicationsConsent } = evidence
    const { since } = presented ?? wording
    const isEarly = stated !== undefined && since !== undefined && Date.parse(stated) < Date.parse(since)
    const early = isEarly ? `. THIS WAS BEFORE this database first had the wording (${time(since)})` : ''
    return [
      ['Consent', communicationsConsent ? 'The caller sent true' : 'No'],
      ['Time of consent', stated ? `${time(stated)}, as the caller stated${early}` : 'Not sent'],
    ]
  }

  function whichWording(): string {
    if (presented === undefined)
      return 'The caller did not name the version of the wording that it presented: it may have been another one.'
    return `The caller stated that ${isOther ? 'the second wording, WHICH WAS NOT IN FORCE,' : 'this wording'} was presented to the customer.`
  }

  function erasedText(): string {
    const by = erasure?.caller ? `, by ${erasure.caller}` : ''
    const when = erasure ? `on ${time(erasure.at)} (${erasure.reason}${by})` : ', and there is no record of an erasure'
    return `The personal data of this lead was erased ${when}. What remains shows that ${isQuote ? 'a submission with this consent value' : 'a message'} arrived at this time, not whose it was.`
  }

  const optOutRows = optOuts.map(({ saidAt, recordedAt, how, channels, caller, contact: whom, name: who }): Row => {
    const said = how === 'restore' ? 'time not known: reported by a copy after a restore' : `said ${time(saidAt)}`
    const ways = `${how.replaceAll('_', ' ')}; ${channels.join(', ') || 'all channels'}`
    return [
      whom,
      `${said} (${ways}${who ? `; by ${who}` : ''}). Recorded ${time(recordedAt)}${caller ? ` by ${caller}` : ''}`,
    ]
  })

  const values: Record<string, Value> = {
    title: isQuote ? 'Record of consent' : 'Record of a contact message',
    isQuote,
    id: record.id,
    receivedAt: record.receivedAt,
    businessName: name,
    businessContact: contact.join(' · '),
    facts: rowsOf([
      ['Lead', record.id],
      ['Received', time(record.receivedAt)],
      ...(isQuote
        ? consentRows()
        : [['Consent', 'A contact message has none: it may be answered, and nothing else'] as const]),
      ['Purpose', evidence.purpose],
      ['Submitted through', paths[evidence.path] ?? evidence.path],
      ...(evidence.caller === undefined ? [] : [['Calling system', evidence.caller] as const]),
      ...(evidence.originSent === false ? [["Customer's origin", 'The calling system sent none'] as const] : []),
      ...(record.optedOutAt
        ? [['DO NOT CONTACT', `This person opted out (recorded ${time(record.optedOutAt)})`] as const]
        : []),
      ['Record made', time(record.issuedAt)],
    ]),
    termsVersion: evidence.termsVersion,
    wording: textOf(wording),
    other: isOther,
    presentedVersion: evidence.presentedVersion ?? '',
    presented: presented ? textOf(presented) : '',
    whichWording: whichWording(),
    statement: textOf(record.statement),
    personal: rowsOf(
      personal
        ? [
            ...Object.entries(personal.content)
              .filter(([field]) => !shownAbove.includes(field))
              .map(([field, value]): Row => [field, shorten(String(value))]),
            [
              'Address',
              personal.clientAddress && `${personal.clientAddress} (${whose}, which may be the server of an assistant)`,
            ],
            ['User-Agent', personal.userAgent && `${shorten(personal.userAgent)} (as the caller declared it)`],
          ]
        : [],
    ),
    erased: personal ? '' : erasedText(),
    optOuts: rowsOf(optOutRows),
    noOptOut: personal
      ? 'None is recorded for this phone number or e-mail address.'
      : record.optedOutAt
        ? `One was recorded ${time(record.optedOutAt)}; look up the number or address for the others.`
        : 'Not known: whose lead it was is erased. Look up the number or address.',
    evidenceSha256: record.evidenceSha256,
    matches: personal
      ? personal.fits
        ? 'What was sent has the hash that the evidence names.'
        : 'WHAT WAS SENT WAS ALTERED: it does not have the hash that the evidence names.'
      : '',
  }
  return fill(template, values, safe)
}
