import { parseArgs, styleText } from 'node:util'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { type OptOut, type OptOutHow, OptOutHowSchema } from '../gen/leadintake/v1/inbox_pb.ts'
import { localTime, nameOfWay, namesOf, time, toLine, toPlainLine } from './leads/formats.ts'
import type { InboxClient } from './leads/inbox-client.ts'
import { parseTime } from './leads/options.ts'
import { certificateFlags, leadsOf, otherContacts, print, shellWord, withInbox } from './office.ts'

// `npm run do-not-contact`: shows the do-not-contact list of the service that runs here, or puts a person on it.

const hows = OptOutHowSchema.values.map(({ number }) => number as OptOutHow)
const ways = new Map(hows.map((how) => [nameOfWay(how), how]))
const wayNames = [...ways.keys()].filter((name) => name !== 'unspecified').join(', ')

const usage = `Usage: npm run -s do-not-contact -- [options] [CONTACT]

Puts a phone number or an e-mail address on the do-not-contact list. Without one, prints the list, the oldest first.

      --how HOW    how the person said so: ${wayNames}
      --said WHEN  when, if not now: 2026-11-22 for a letter's date, or 2026-11-22T14:00:00Z
      --name NAME  the person's name
      --csv        the list as comma-separated values, for a texting provider or a spreadsheet
      --cert FILE  client certificate and key to use instead of the service's own
      --key FILE
`

function parseOptions() {
  const { values, positionals } = parseArgs({
    options: {
      how: { type: 'string' },
      said: { type: 'string' },
      name: { type: 'string' },
      csv: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      ...certificateFlags,
    },
    allowPositionals: true,
  })
  const [contact, ...more] = positionals
  if (more.length > 0) throw new Error('expected one phone number or e-mail address; write it in quotes')
  if (contact === undefined && (values.how ?? values.said ?? values.name) !== undefined)
    throw new Error('expected whose opt-out it is')
  if (contact !== undefined && values.csv) throw new Error('expected --csv without a phone number or e-mail address')
  const how = ways.get((values.how ?? 'unspecified').toLowerCase().replaceAll(/[_ ]/g, '-'))
  if (how === undefined) throw new Error(`expected --how as one of ${wayNames}`)
  const saidAt = values.said === undefined ? undefined : parseTime('--said', values.said, Date.now())
  const { help, csv, cert, key, name = '', said = '' } = values
  return { help, csv, cert, key, contact, said: { how, name, said, saidAt } }
}

type Said = ReturnType<typeof parseOptions>['said']

const row = ([contact = '', said = '', ...rest]: string[]) =>
  `${[contact.padEnd(32), said.padEnd(16), ...rest].join('  ')}\n`
const tableHeader = styleText('bold', row(['CONTACT', 'SAID (local)', 'HOW, CHANNELS, NAME']))
const csvHeader = `\ufeff${toLine(['phone', 'email', 'saidAt', 'recordedAt', 'how', 'channels', 'name', 'recordedBy', 'id'])}`

function toCsvLine({ id, contact, saidAt, recordedAt, how, channels, name, caller }: OptOut): string {
  const cells = [time(saidAt), time(recordedAt), nameOfWay(how), namesOf(channels), name, caller, id].map(toPlainLine)
  // The plus is part of the number, and `toLine` would take it for a formula.
  return contact.includes('@')
    ? toLine(['', contact, ...cells])
    : `"+1${toPlainLine(contact)}",${toLine(['', ...cells])}`
}

function toTableRow({ contact, saidAt, how, channels, name }: OptOut): string {
  return row([contact, localTime(time(saidAt)), `${nameOfWay(how)}, ${namesOf(channels)}, ${name}`].map(toPlainLine))
}

async function list(inbox: InboxClient, isCsv: boolean): Promise<void> {
  let pageToken = ''
  let header = isCsv ? csvHeader : tableHeader
  do {
    const page = await inbox.listOptOuts({ pageToken })
    // After the first answer, so that a service that is down leaves no file that looks like an empty list.
    await print(header + page.optOuts.map(isCsv ? toCsvLine : toTableRow).join(''))
    header = ''
    pageToken = page.nextPageToken
  } while (pageToken !== '')
}

async function add(inbox: InboxClient, contact: string, { how, name, said, saidAt }: Said): Promise<void> {
  await inbox.recordOptOut({ contact, how, name, ...(saidAt && { saidAt: timestampFromDate(saidAt) }) })
  const leads = await leadsOf(inbox, contact)
  await print(
    `Recorded: do not contact ${toPlainLine(contact)}. Leads of this person that now say so: ${leads.length}.\n`,
  )
  const same = `${how ? ` --how ${nameOfWay(how)}` : ''}${said ? ` --said ${said}` : ''}`
  for (const other of otherContacts(leads, contact))
    await print(
      `Their leads also have ${other}. If it is theirs: npm run do-not-contact -- ${shellWord(other)}${same}\n`,
    )
  await print(
    'Tell your texting and mailing services too, and whoever has a copy of the leads: they do not follow this list.\n',
  )
}

try {
  const { help, contact, csv, said, ...certificate } = parseOptions()
  if (help) await print(usage)
  else await withInbox(certificate, (inbox) => (contact === undefined ? list(inbox, csv) : add(inbox, contact, said)))
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  process.exitCode = 64
}
