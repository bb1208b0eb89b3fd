import { parseArgs, styleText } from 'node:util'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Channel, type OptOut, type OptOutHow, OptOutHowSchema } from '../gen/leadintake/v1/inbox_pb.ts'
import { certificateFlags, type InboxClient, leadsOf, otherContacts, withInbox } from './inbox.ts'
import { localTime, nameOfWay, namesOf, time, toColumns, toLine, toSafeLine } from './leads/formats.ts'
import { parseTime } from './leads/options.ts'
import { parseOrExit, print } from './terminal.ts'

// `npm run do-not-contact`: shows the do-not-contact list of the service that runs here, or puts a person on it.

const hows = OptOutHowSchema.values.map(({ number }) => number as OptOutHow)
const ways = new Map(hows.map((how) => [nameOfWay(how), how]))
const wayNames = [...ways.keys()].filter((name) => name !== 'unspecified').join(', ')

const channelSets = new Map([[], [Channel.PHONE], [Channel.TEXT], [Channel.EMAIL]].map((set) => [namesOf(set), set]))

const usage = `Usage: npm run -s do-not-contact -- [options] [CONTACT]

Puts a phone number or an e-mail address on the do-not-contact list. Without one, prints the list, the oldest first.

      --how HOW    how the person said so: ${wayNames}
      --said WHEN  when, if not now: 2026-11-22 for the day a letter came, or 2026-11-22T14:00:00Z
      --channel C  phone, text or email, if the person refused one alone
      --name NAME  the person's name
      --csv        the list as comma-separated values, for a texting provider or a spreadsheet
      --cert FILE  client certificate and key to use instead of the service's own
      --key FILE`

function parseOptions() {
  const texts = { how: { type: 'string' }, said: { type: 'string' }, name: { type: 'string', default: '' } } as const
  const channel = { type: 'string', default: 'all' } as const
  const options = { ...texts, channel, csv: { type: 'boolean', default: false }, ...certificateFlags } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const [contact, ...more] = positionals
  const { how: way, name, said, csv, channel: named, ...certificate } = values
  if (more.length > 0) throw new Error('expected one phone number or e-mail address; write it in quotes')
  if (contact === undefined && (way || said || name || named !== 'all')) throw new Error('expected whose opt-out it is')
  if (contact !== undefined && csv) throw new Error('expected --csv without a phone number or e-mail address')
  const how = ways.get((way ?? 'unspecified').toLowerCase().replaceAll(/[_ ]/g, '-'))
  if (how === undefined) throw new Error(`expected --how as one of ${wayNames}`)
  const channels = channelSets.get(named.toLowerCase())
  if (channels === undefined) throw new Error('expected --channel as phone, text or email')
  const saidAt = said === undefined ? undefined : timestampFromDate(parseTime('--said', said, Date.now()))
  return { contact, csv, certificate, optOut: { how, name, channels, ...(saidAt && { saidAt }) } }
}

const { contact, csv, certificate, optOut } = parseOrExit(usage, parseOptions)

const row = (...cells: string[]) => `${toColumns(cells.map(toSafeLine), [32, 16])}\n`
const tableHeader = styleText('bold', row('CONTACT', 'SAID (local)', 'HOW, CHANNELS, NAME'))
const csvHeader = `\ufeff${toLine(['phone', 'email', 'saidAt', 'recordedAt', 'how', 'channels', 'name', 'recordedBy', 'id'])}`

function toCsvLine({ id, contact, saidAt, recordedAt, how, channels, name, caller }: OptOut): string {
  const cells = [time(saidAt), time(recordedAt), nameOfWay(how), namesOf(channels), name, caller, id].map(toSafeLine)
  // `toLine` would take the plus of the number for a formula.
  return contact.includes('@')
    ? toLine(['', contact, ...cells])
    : `"+1${toSafeLine(contact)}",${toLine(['', ...cells])}`
}

function toTableRow({ contact, saidAt, how, channels, name }: OptOut): string {
  return row(contact, localTime(time(saidAt)), `${nameOfWay(how)}, ${namesOf(channels)}, ${name}`)
}

async function list(inbox: InboxClient): Promise<void> {
  let pageToken = ''
  let header = csv ? csvHeader : tableHeader
  do {
    const page = await inbox.listOptOuts({ pageToken })
    // The header comes after the first answer, so that a service that is down leaves no file like an empty list.
    if (!(await print(header + page.optOuts.map(csv ? toCsvLine : toTableRow).join('')))) return
    header = ''
    pageToken = page.nextPageToken
  } while (pageToken !== '')
}

async function add(inbox: InboxClient, contact: string): Promise<void> {
  await inbox.recordOptOut({ contact, ...optOut })
  const leads = await leadsOf(inbox, contact)
  const others = otherContacts(leads, contact)
  const also = others && `Their leads also have ${others}. Record each one that is theirs in the same way.\n`
  const who =
    leads.length === 0 ? 'No lead has it: check the number' : `Leads with it, which now say so: ${leads.length}`
  await print(`Recorded: do not contact ${toSafeLine(contact)}. ${who}.
${also}Tell your texting and mailing services too, and whoever has a copy of the leads: they do not follow this list.
`)
}

await withInbox(certificate, (inbox) => (contact === undefined ? list(inbox) : add(inbox, contact)))
