import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import type { SendMailOptions } from 'nodemailer'
import { Channel, type Lead, LeadKind } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { mailAddress, type Settings } from './settings.ts'
import type { Kind } from './state.ts'

type Addresses = Pick<Settings, 'from' | 'to' | 'rulesUrl'>

/** Control and bidirectional characters, and lone surrogates. Line breaks and tabs may stay in a body. */
const steering = /(?![\n\t])[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu

const toText = (text: string) => text.replaceAll(/\r\n?/g, '\n').replaceAll(steering, '')
const toLine = (text: string, most = 200) => [...toText(text).replaceAll(/\s+/g, ' ').trim()].slice(0, most).join('')

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const toHtml = (text: string) => toText(text).replaceAll(/[&<>"']/g, (character) => entities[character] as string)

const toTime = (timestamp: Timestamp | undefined) =>
  timestamp ? timestampDate(timestamp).toUTCString() : 'an unknown time'

/** Always the same for a lead, so that mail programs show a message only once, even if it was sent twice. */
export const messageId = (id: string, { from }: Addresses, kind: Kind = 'lead') =>
  `<${toLine(id).replaceAll(/[^\w-]/g, '')}${kind === 'lead' ? '' : `.${kind}`}@${from.split('@')[1]}>`

/** A message about a lead. Text of the customer can only be in `subject`, `text`, `html` and `replyTo`. */
function compose(lead: Lead, addresses: Addresses, kind: Kind, parts: SendMailOptions): SendMailOptions {
  return {
    from: addresses.from,
    to: addresses.to,
    messageId: messageId(lead.id, addresses, kind),
    date: lead.receivedAt && timestampDate(lead.receivedAt),
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
    ...parts,
  }
}

/** What the customer said, as labels and texts. */
function fieldsOf(lead: Lead): [label: string, text: string][] {
  const { case: kind, value } = lead.content
  if (kind === undefined) return []
  const common: [string, string][] = [
    ['Name', toLine(value.name ?? '')],
    ['Phone', toLine(value.phone ?? '').replace(/^(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3')],
    ['E-mail', toLine(value.email ?? '', 254)],
  ]
  if (kind === 'contactMessage') {
    return [...common, ['Help with', toLine(value.helpWith ?? '')], ['Message', toText(value.message ?? '')]]
  }
  return [
    ...common,
    ['Service', toLine(value.service ?? '')],
    ['Bedrooms', toLine(value.bedrooms ?? '')],
    ['Bathrooms', toLine(value.bathrooms ?? '')],
    ['Notes', toText(value.notes ?? '')],
  ]
}

/** Whether the person asked for no contact after this lead. */
export function hasOptedOut({ optedOutAt, receivedAt }: Lead): boolean {
  return optedOutAt !== undefined && (!receivedAt || timestampDate(optedOutAt) >= timestampDate(receivedAt))
}

const verbs = ['contact', 'call', 'text', 'e-mail']

/** What the person refused, in words: `do not text`. */
export const refusalOf = ({ optedOutChannels }: Lead) =>
  `do not ${optedOutChannels.map((channel) => verbs[channel] ?? 'contact').join(' or ') || 'contact'}`

/** Whether an answer may be written without a check by hand. */
function mayReply(lead: Lead): boolean {
  const isPart = lead.optedOutChannels.length > 0 && !lead.optedOutChannels.includes(Channel.EMAIL)
  return !lead.optedOutAt || isPart || (lead.kind === LeadKind.SUPPORT && !hasOptedOut(lead))
}

/** What must be known before calling or writing. Nothing that is submitted lifts an opt-out. Empty: nothing. */
function describeOptOut(lead: Lead): string {
  const after = lead.optedOutAt && !hasOptedOut(lead) ? ', after the opt-out recorded' : ''
  const possible = lead.possibleOptOut ? `READ TODAY: this may ask for no more contact${after}. If so, record it.` : ''
  if (!lead.optedOutAt) return possible
  if (lead.optedOutChannels.length > 0)
    return [
      `${refusalOf(lead).toUpperCase()}: this person asked for that (recorded ${toTime(lead.optedOutAt)}).`,
      possible,
    ]
      .filter(Boolean)
      .join(' ')
  const when = `asked for no contact (recorded ${toTime(lead.optedOutAt)})`
  const warning = hasOptedOut(lead)
    ? `DO NOT CONTACT: this person ${when}.`
    : lead.kind === LeadKind.SUPPORT
      ? `DO NOT CONTACT, except to answer this message, by e-mail: this person ${when} before it.`
      : `DO NOT CONTACT: this person ${when} before this request, and anyone can send one with their number. Check by hand first, and wait until they call or write.`
  return [warning, possible].filter(Boolean).join(' ')
}

/** The mark in the subject of a lead with such a warning. */
function markOf(lead: Lead): string {
  return lead.optedOutAt ? `[${refusalOf(lead).toUpperCase()}] ` : lead.possibleOptOut ? '[READ TODAY] ' : ''
}

/** The message about a new lead. */
export function describeLead(lead: Lead, addresses: Addresses): SendMailOptions {
  const fields = fieldsOf(lead)
  const [name = '', , email = ''] = fields.map(([, text]) => text)
  const warning = describeOptOut(lead)
  const footer = `Received ${toTime(lead.receivedAt)}, lead ${lead.id}`
  const rules = `Before you call or write: ${addresses.rulesUrl ?? 'docs/contacting.md of Lead Intake'}`
  const rows = fields.map(
    ([label, text]) =>
      `<tr><th align="left" valign="top">${label}</th><td style="white-space: pre-wrap">${toHtml(text)}</td></tr>`,
  )
  const title = lead.kind === LeadKind.SUPPORT ? 'Message' : 'Quote request'
  return compose(lead, addresses, 'lead', {
    // Otherwise mail programs would decode a name that looks like an encoded word (RFC 2047).
    subject: `${markOf(lead)}${title} from ${name}`.replaceAll('=?', '= ?'),
    text: [
      ...(warning ? [warning, ''] : []),
      ...fields.map(([label, text]) => `${label}: ${text}`),
      '',
      footer,
      rules,
      '',
    ].join('\n'),
    html: `${warning ? `<p><strong>${warning}</strong></p>` : ''}<table cellpadding="4">${rows.join('')}</table><p>${toHtml(footer)}<br>${toHtml(rules)}</p>`,
    // Replies go to the customer, unless the customer wants none. A message may be answered.
    ...(mayReply(lead) && mailAddress.test(email) && { replyTo: email }),
  })
}

/** Replaces a message that the mail server refuses because of its content. */
export function describeRefused(lead: Lead, addresses: Addresses): SendMailOptions {
  return compose(lead, addresses, 'lead', {
    subject: 'A lead that the mail server refused',
    text: `The mail server refused the message about lead ${lead.id}, received ${toTime(lead.receivedAt)}, because of its content.\nSee it with \`npm run leads -- ${lead.id}\`, on one machine with \`program leads ${lead.id}\` (docs/vm.md, Day two).\n`,
  })
}

/** Says what to do with an earlier message, as a reply to it. Contains no text of the customer. */
export function describeChange(lead: Lead, addresses: Addresses, kind: Exclude<Kind, 'lead'>): SendMailOptions {
  const earlier = messageId(lead.id, addresses)
  const about = `the message ${earlier} about a lead received ${toTime(lead.receivedAt)}`
  const refusal = refusalOf(lead)
  const wish = `asked for this: ${refusal} (recorded ${toTime(lead.optedOutAt)}).`
  const deletion = `The personal data of this lead was erased. Delete ${about}, and every copy of it.`
  const [subject, text] =
    kind !== 'erasure'
      ? [`${refusal[0]?.toUpperCase()}${refusal.slice(1)} this person`, `The person of ${about} ${wish}`]
      : hasOptedOut(lead)
        ? [`Delete the message about this lead and ${refusal} this person`, `${deletion}\nThis person ${wish}`]
        : ['Delete the message about this lead', deletion]
  return compose(lead, addresses, kind, {
    subject,
    text: `${text}\n`,
    date: undefined,
    inReplyTo: earlier,
    references: earlier,
  })
}
