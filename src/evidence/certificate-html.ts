import type { Via } from '../lead/submission.ts'
import { escapeHtml, printable } from '../safe-text.ts'
import type { Certificate, NamedText } from './certificate.ts'

/** Escapes any value, since SQLite can hold bytes in place of a text. */
const safe = (value: unknown) => escapeHtml(printable(String(value)))

type Row = readonly [name: string, value: string | undefined]

function table(rows: readonly Row[]): string {
  const shown = rows.map(([name, value]) => `<tr><th>${safe(name)}</th><td>${safe(value ?? 'not known')}</td></tr>`)
  return `<table>${shown.join('\n')}</table>`
}

const kinds = { quote: 'Quote request', support: 'Contact message' }

const paths: Record<Via, string> = {
  'rest-v1': 'REST, version 1',
  'rest-legacy': 'REST, the deprecated address /api/leads',
  rpc: "RPC, by one of the business's own systems",
}

const fields: Readonly<Record<string, string>> = {
  name: 'Name',
  phone: 'Phone',
  email: 'E-mail',
  bedrooms: 'Bedrooms',
  bathrooms: 'Bathrooms',
  service: 'Service',
  notes: 'Notes',
  helpWith: 'Help with',
  message: 'Message',
  pageUrl: 'Page',
}

/** What the first table already says. */
const shownAbove = ['formType', 'communicationsConsent', 'consentTimestamp']

/** The longest text on the first page. The appendix has it in full. */
const bodyMax = 300

function shorten(text: string): string {
  return text.length > bodyMax ? `${text.slice(0, bodyMax)} … (in full in the appendix)` : text
}

function quoteText({ text }: NamedText): string {
  return text === undefined
    ? '<p>The database has no text with this hash: it was removed or altered.</p>'
    : `<blockquote>${safe(text)}</blockquote>`
}

/** The person's opt-outs, and what they mean for this lead: only a quote request that was received later has a new consent. */
function optOutRows(
  { kind, receivedAt, optedOutAt, optOuts, evidence }: Certificate,
  time: (iso: string) => string,
): Row[] {
  if (optedOutAt === null) return []
  // A wish that was recorded for the number and for the address is one wish.
  const wishes = new Map(optOuts.map((optOut) => [JSON.stringify({ ...optOut, contactHash: '' }), optOut]))
  const rows = Array.from(wishes.values(), ({ saidAt, recordedAt, how, channels, caller }): Row[] => [
    ['Asked not to be contacted', how === 'restore' ? 'Not known: reported by a copy, after a restore' : time(saidAt)],
    ['How, and for which channels', `${how.replaceAll('_', ' ')}; ${channels.join(', ') || 'all'}`],
    ['Recorded', caller === null ? time(recordedAt) : `${time(recordedAt)} by ${caller}`],
  ])
  const isOlder = Date.parse(evidence.consentTimestamp ?? '') < Date.parse(optedOutAt)
  const older = isOlder ? '. THE TIME OF CONSENT THAT THE CALLER STATED IS BEFORE THE STOP: ask by hand first' : ''
  const later =
    kind === 'quote'
      ? `This request was received later, and has a consent of its own${older}`
      : 'Do not contact, except to answer this message, which was received later. It has no consent, and may itself be an opt-out'
  const unknown = optOuts.length === 0 ? '. How it was said: look up the number or address (FindOptOuts)' : ''
  const meaning = optedOutAt < receivedAt ? later : 'Do not contact'
  return [...rows.flat(), ['What the opt-out means', `${meaning} (recorded ${time(optedOutAt)})${unknown}`]]
}

function consentRows({ evidence, wording, presented }: Certificate, time: (iso: string) => string): Row[] {
  const { consentTimestamp: stated, communicationsConsent } = evidence
  const { since } = presented ?? wording
  const isEarly = stated !== undefined && since !== undefined && Date.parse(stated) < Date.parse(since)
  const early = isEarly ? `. THIS WAS BEFORE this database first had the wording (${time(since)})` : ''
  return [
    ['Consent', communicationsConsent ? 'Yes: the caller sent the value true' : 'No'],
    ['Time of consent', stated ? `${time(stated)}, as the caller stated${early}` : 'Not sent'],
  ]
}

/** The wordings, and whose word the consent is. */
function consentPart({ evidence, wording, presented, statement }: Certificate): string {
  const isOther = presented !== undefined && presented.sha256 !== wording.sha256
  const which = isOther ? 'the second wording, WHICH WAS NOT IN FORCE' : 'this wording'
  return `<h2>The wording that was in force (version ${safe(evidence.termsVersion)})</h2>
${quoteText(wording)}
${isOther ? `<h2>The wording presented to the customer (version ${safe(evidence.presentedVersion)})</h2>${quoteText(presented)}` : ''}
<p>${presented ? `The caller stated that ${which} was presented to the customer.` : 'WHICH WORDING WAS PRESENTED WAS NOT STATED: it may have been an earlier one, although the statement below says “this wording”.'}
${presented?.otherTexts?.length ? 'This version had other texts too, with another name or number of the business: see the appendix.' : ''}
The service publishes its wording in its documents, its field descriptions and its errors. It cannot know that the customer was shown it.</p>
<h2>What the caller stated by sending true</h2>
${quoteText(statement)}
<p>The caller may have been a program, such as an assistant of the customer: then this is the word of that program.</p>`
}

/** What is known about the address that a lead came from. */
function whoseAddress({ evidence }: Certificate): string {
  return evidence.path === 'rpc'
    ? 'of the customer, as the calling system reported it'
    : 'of whoever sent the request, which may be the server of an assistant'
}

/** `contain` keeps stacked accents in a caller's text from covering what is around it. */
const style = `body { font: 10.5pt/1.4 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; color: #111 }
header { border-bottom: 2px solid #111; padding-bottom: .5rem } header p { margin: 0 } h1 { font-size: 1.5em; margin: .8em 0 .4em }
h2 { font-size: 1.1em; margin: .9em 0 .3em } p { margin: .3em 0 } table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .15rem .6rem .15rem 0; border-bottom: 1px solid #ccc }
th { width: 13rem; font-weight: 600 } td, code, pre { overflow-wrap: anywhere; white-space: pre-wrap }
blockquote { margin: 0; padding-left: .8rem; border-left: 3px solid #888 } td, pre, blockquote { contain: paint }
@page { margin: 12mm } @media print { body { margin: 0; padding: 0; max-width: none; font: 9pt/1.25 system-ui, sans-serif } th, td { padding-block: .05rem } h1, h2 { margin-block: .5em .2em } section { break-before: page } h2 { break-after: avoid } }`

/** Renders a certificate: one printed page, and an appendix. `timeZone` is that of local times, such as `America/Chicago`. */
export function renderCertificate(certificate: Certificate, timeZone?: string): string {
  const { id, kind, business, evidence, personal, erasure } = certificate
  const isQuote = kind === 'quote'
  const title = isQuote ? 'Evidence of consent' : 'Evidence of a contact message'
  const local = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'long', timeZone })
  const time = (iso: string) => (Number.isNaN(Date.parse(iso)) ? iso : `${local.format(new Date(iso))} (${iso})`)
  const submitted = Object.entries(personal?.content ?? {}).filter(([name]) => !shownAbove.includes(name))
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}: lead ${safe(id)}</title><style>${style}</style></head>
<body>
<header><p><strong>${safe(business.name)}</strong></p><p>${safe(`${business.postalAddress} · ${business.phone} · ${business.email}`)}</p></header>
<h1>${title}</h1>
${table([
  ['Lead', id],
  ['Kind', kinds[kind]],
  ['Received', time(certificate.receivedAt)],
  ...(isQuote ? consentRows(certificate, time) : []),
  ['Purpose', evidence.purpose],
  ['Submitted through', paths[evidence.path] ?? evidence.path],
  ...(evidence.caller === undefined ? [] : [['Calling system', evidence.caller] as const]),
  ...(evidence.originSent === false ? [["Customer's origin", 'The calling system sent none'] as const] : []),
  ...optOutRows(certificate, time),
  ['Certificate made', time(certificate.issuedAt)],
])}
${isQuote ? consentPart(certificate) : ''}
<h2>What was submitted, and from where</h2>
${
  personal === undefined
    ? `<p>The personal data of this lead was erased${erasure ? ` on ${safe(time(erasure.at))} (${safe(erasure.reason)}${erasure.caller ? `, by ${safe(erasure.caller)}` : ''})` : ', and there is no record of an erasure'}. What remains shows that ${isQuote ? 'a submission with this consent value' : 'a message'} arrived at this time.
It does not show whose it was, and nobody can confirm that from the hash.</p>`
    : table([
        ...submitted.map(([name, value]): Row => [fields[name] ?? name, shorten(String(value))]),
        ['Address of the caller', personal.clientAddress && `${personal.clientAddress} (${whoseAddress(certificate)})`],
        ['User-Agent', personal.userAgent && `${shorten(personal.userAgent)} (as the caller declared it)`],
        ['Matches the evidence', personal.fits ? 'Yes: its SHA-256 is the one in the evidence' : 'NO: it was altered'],
      ])
}
<section>
<h1>Appendix</h1>
<h2>Hashes</h2>
${table([
  ['Request', evidence.requestId],
  ...(isQuote
    ? ([
        ['SHA-256 of the wording', certificate.wording.sha256],
        ['SHA-256 of the wording presented', certificate.presented ? certificate.presented.sha256 : 'Not stated'],
        ['SHA-256 of the statement', certificate.statement.sha256],
      ] as const)
    : []),
  ['SHA-256 of the personal text', evidence.personalSha256],
])}
<h2>How to check this</h2>
<ol>
<li>${personal === undefined ? 'The personal text is gone, so its hash cannot be recomputed.' : 'The SHA-256 of the personal text below, in UTF-8, is the hash above.'}</li>
${isQuote ? '<li>The SHA-256 of each wording and of the statement, in UTF-8, are the hashes above and in the evidence text.</li>' : ''}
</ol>
${(certificate.presented?.otherTexts ?? []).map((other) => `<h2>Another text of the version that was presented, since ${safe(other.since)}</h2>${quoteText(other)}`).join('')}
<h2>The stored texts</h2>
<p>Evidence:</p><pre>${safe(certificate.evidenceText)}</pre>
${personal === undefined ? '' : `<p>Personal:</p><pre>${safe(personal.text)}</pre>`}
</section>
</body>
</html>
`
}
