import { parseArgs, styleText } from 'node:util'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { type OptOut, type OptOutHow, OptOutHowSchema } from '../gen/leadintake/v1/inbox_pb.ts'
import { Channel } from '../gen/leadintake/v1/lead_pb.ts'
import { dayOnly } from '../inbox/stored-lead.ts'
import { findOptOutsOf, type InboxClient, leadsOf, otherContacts, withInbox } from './inbox.ts'
import { localDay, nameChannels, nameHow, nameListed, time, toColumns, toLine, toSafeLine } from './leads/formats.ts'
import { hasWords, parseTime } from './leads/options.ts'
import { agrees, parseOrExit, print } from './terminal.ts'

const optOutHows = OptOutHowSchema.values.map(({ number }) => number as OptOutHow)
const ways = new Map(optOutHows.map((how) => [nameHow(how), how]))
const wayNames = [...ways.keys()].filter((name) => name !== 'unspecified').join(', ')

const channelNames = new Map(Object.entries({ phone: Channel.PHONE, text: Channel.TEXT, email: Channel.EMAIL }))

const usage = `Usage: npm run -s do-not-contact -- [options] [CONTACT]

Puts a phone number or an e-mail address on the do-not-contact list. Without one, prints the list, the oldest first.

      --how HOW    how the person said so: ${wayNames}
      --said WHEN  when, if not now: 2026-11-22 for the day a letter came, or 2026-11-22T14:00:00Z
      --channel C  phone, text or email, if the person refused that alone; phone,text for two
      --name NAME  the person's name
      --yes        do not ask: for programs
      --csv        the list as comma-separated values, for a spreadsheet
      --phones     every number, also of those who refused only calls or only texts, one a line: for a provider's import
      --emails     every address, one a line`

function parseOptions() {
  const texts = { how: { type: 'string' }, said: { type: 'string' }, name: { type: 'string', default: '' } } as const
  const channel = { type: 'string', multiple: true } as const
  const flag = { type: 'boolean', default: false } as const
  const options = { ...texts, channel, yes: flag, csv: flag, phones: flag, emails: flag } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const [contact, ...more] = positionals
  const { how: way, name, said, yes, channel: named = [] } = values
  const formats = (['csv', 'phones', 'emails'] as const).filter((format) => values[format])
  if (more.length > 0) throw new Error('expected one phone number or e-mail address; write it in quotes')
  if (contact === undefined && (way || said || name || yes || named.length > 0))
    throw new Error('expected whose opt-out it is')
  if (formats.length > (contact === undefined ? 1 : 0))
    throw new Error('expected one of --csv, --phones and --emails, without a phone number or e-mail address')
  const how = ways.get((way ?? 'unspecified').toLowerCase().replaceAll(/[_ ]/g, '-'))
  if (how === undefined) throw new Error(`expected --how as one of ${wayNames}`)
  const words = named.flatMap((text) => text.toLowerCase().split(/[\s,]+/))
  const channels = words.flatMap((word) => channelNames.get(word) ?? [])
  if (channels.length < words.length) throw new Error('expected --channel as phone, text or email')
  if (contact !== undefined && channels.some((channel) => (channel === Channel.EMAIL) !== contact.includes('@')))
    throw new Error('expected --channel phone or text with a number, or email with an address')
  const at = said === undefined ? undefined : parseTime('--said', said, Date.now())
  if (at && at.getTime() > Date.now()) throw new Error('expected --said as a day or a time that is past')
  const sent = said && /^[\d-]+$/.test(said) ? new Date(said + dayOnly) : at
  // The noon of today may be yet to come.
  const saidAt = sent && sent.getTime() < Date.now() ? timestampFromDate(sent) : undefined
  const optOut = { how, name, channels, ...(saidAt && { saidAt }) }
  return { contact, format: formats[0] ?? ('table' as const), yes, optOut }
}

const { contact, format, yes, optOut } = parseOrExit(usage, parseOptions)

const row = (...cells: string[]) => `${toColumns(cells.map(toSafeLine), [32, 16])}\n`
const tableHeader = styleText('bold', row('CONTACT', 'SAID (local)', 'HOW, CHANNELS, NAME'))
const csvHeader = `\ufeff${toLine(['phone', 'email', 'saidAt', 'recordedAt', 'how', 'channels', 'name', 'recordedBy', 'id'])}`

function toCsvLine({ id, contact, saidAt, recordedAt, how, channels, name, caller }: OptOut): string {
  const cells = [time(saidAt), time(recordedAt), nameHow(how), nameChannels(channels), name, caller, id].map(toSafeLine)
  // `toLine` would take the plus of the number for a formula.
  return contact.includes('@')
    ? toLine(['', contact, ...cells])
    : `"+1${toSafeLine(contact)}",${toLine(['', ...cells])}`
}

const toTableRow = ({ contact, saidAt, how, channels, name }: OptOut) =>
  row(contact, localDay(time(saidAt)), `${nameHow(how)}, ${nameChannels(channels)}, ${name}`)

const listFormats = {
  table: { header: tableHeader, row: toTableRow },
  csv: { header: csvHeader, row: toCsvLine },
  phones: { header: '', row: ({ contact }: OptOut) => (contact.includes('@') ? '' : `+1${toSafeLine(contact)}\n`) },
  emails: { header: '', row: ({ contact }: OptOut) => (contact.includes('@') ? `${toSafeLine(contact)}\n` : '') },
}

async function list(inbox: InboxClient): Promise<void> {
  let pageToken = ''
  let { header, row } = listFormats[format]
  const printed = new Set<string>()
  do {
    const page = await inbox.listOptOuts({ pageToken })
    // The header comes after the first answer, so that a service that is down leaves no file like an empty list.
    const lines = page.optOuts.map(row).filter((line) => !printed.has(line) && printed.add(line))
    if (!(await print(header + lines.join('')))) return
    header = ''
    pageToken = page.nextPageToken
  } while (pageToken !== '')
}

async function add(inbox: InboxClient, contact: string): Promise<void> {
  const { business, optOuts } = await inbox.findOptOuts({ contact })
  const leads = await leadsOf(inbox, contact)
  const names = [...new Set(leads.map(({ content }) => toSafeLine(content.value?.name ?? '')))]
  const isOther = leads.length > 0 && !names.some((text) => hasWords(text, optOut.name))
  const whose = `${leads.length === 1 ? '1 lead has' : `${leads.length} leads have`} it, from ${names.join(', ')}`
  const known = nameListed(optOuts)
  const what = `no more contact with ${toSafeLine(contact)} (channels: ${nameListed([optOut])})`
  const toAnswer = `If it is ${toSafeLine(optOut.name)}'s, answer Y, whatever name the leads have; if not, N.\n`
  await print(`${toSafeLine(business)}: ${what}.
${leads.length > 0 ? whose : 'No lead has it: check the spelling'}${isOther ? ', BUT NOT FROM' : '. Name to record:'} ${toSafeLine(optOut.name) || 'none'}.
Said: ${optOut.saidAt ? localDay(time(optOut.saidAt)) : 'now'}, how: ${nameHow(optOut.how)}.${known && ` On the list already: ${known}.`}
${names.length > 1 || isOther ? 'This stops contact there with each of these people.\n' : ''}${isOther ? toAnswer : ''}`)
  if (!(await agrees(yes, 'Record it? It cannot be taken back. [y/N] ', 'Nothing was recorded.'))) return
  await inbox.recordOptOut({ contact, ...optOut })
  const answers = await findOptOutsOf(inbox, leads)
  const open = answers.filter(({ optOuts }) => optOuts.every(({ channels }) => channels.length > 0))
  const others = otherContacts(open, contact)
  const unless = optOut.channels.length > 0 ? `, unless they refused only ${nameListed([optOut])}` : ''
  const also = others && `These leads also have ${others}. Record it too if it is theirs${unless}.\n`
  await print(`Recorded: ${what}. Leads with it, which now say so: ${leads.length}.
${also}Tell your texting and mailing services too, and whoever has a copy of the leads: they do not follow this list.
`)
}

await withInbox((inbox) => (contact === undefined ? list(inbox) : add(inbox, contact)))
