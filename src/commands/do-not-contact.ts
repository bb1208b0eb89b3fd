import { parseArgs, styleText } from 'node:util'
import { type OptOut, type OptOutHow, OptOutHowSchema } from '../gen/leadintake/v1/inbox_pb.ts'
import { localTime, time, toLine, toPlainLine } from './leads/formats.ts'
import type { InboxClient } from './leads/inbox-client.ts'
import { certificateFlags, leadsOf, otherContacts, print, withInbox } from './office.ts'

// `npm run do-not-contact`: shows the do-not-contact list of the service that runs here, or puts a person on it.

const ways = Object.fromEntries(
  OptOutHowSchema.values.map(({ localName, number }) => [localName.toLowerCase().replaceAll('_', '-'), number]),
) as Record<string, OptOutHow>

const usage = `Usage: npm run -s do-not-contact -- [options] [CONTACT]

Puts a phone number or an e-mail address on the do-not-contact list. Without one, prints the list, the oldest first.

      --how HOW    how the person said so: ${Object.keys(ways)
        .filter((name) => name !== 'unspecified')
        .join(', ')}
      --name NAME  the person's name
      --csv        the list as comma-separated values, for a texting provider or a spreadsheet
      --cert FILE  client certificate and key to use instead of the service's own
      --key FILE
`

function parseOptions() {
  const { values, positionals } = parseArgs({
    options: {
      how: { type: 'string' },
      name: { type: 'string' },
      csv: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      ...certificateFlags,
    },
    allowPositionals: true,
  })
  const [contact, ...more] = positionals
  if (more.length > 0) throw new Error('expected one phone number or e-mail address; write it in quotes')
  if (contact === undefined && (values.how ?? values.name) !== undefined)
    throw new Error('expected whose opt-out it is')
  if (contact !== undefined && values.csv) throw new Error('expected --csv without a phone number or e-mail address')
  const how = ways[(values.how ?? 'unspecified').toLowerCase().replaceAll(/[_ ]/g, '-')]
  if (how === undefined) throw new Error(`expected --how as one of ${Object.keys(ways).join(', ')}`)
  return { ...values, contact, how }
}

const columns = ['contact', 'saidAt', 'recordedAt', 'how', 'channels', 'name', 'recordedBy']
const channelNames = ['', 'phone', 'text', 'email']
const nameOfWay = (how: OptOutHow) => Object.entries(ways).find(([, number]) => number === how)?.[0] ?? ''

function cellsOf({ contact, saidAt, recordedAt, how, channels, name, caller }: OptOut): string[] {
  const named = channels.map((channel) => channelNames[channel]).join(' ')
  return [contact, time(saidAt), time(recordedAt), nameOfWay(how), named || 'all', name, caller].map(toPlainLine)
}

async function list(inbox: InboxClient, isCsv: boolean): Promise<void> {
  const widths = [32, 16, 16, 19, 16, 20]
  const row = (cells: readonly string[]) =>
    `${cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()}\n`
  let pageToken = ''
  await print(
    isCsv
      ? `\ufeff${toLine(columns)}`
      : styleText('bold', row(['CONTACT', 'SAID', 'RECORDED', 'HOW', 'CHANNELS', 'NAME', 'RECORDED BY'])),
  )
  do {
    const page = await inbox.listOptOuts({ pageToken })
    for (const optOut of page.optOuts) {
      const [contact = '', said = '', recorded = '', ...rest] = cellsOf(optOut)
      await print(
        isCsv
          ? toLine([contact, said, recorded, ...rest])
          : row([contact, localTime(said), localTime(recorded), ...rest]),
      )
    }
    pageToken = page.nextPageToken
  } while (pageToken !== '')
}

async function add(inbox: InboxClient, contact: string, how: OptOutHow, name = ''): Promise<void> {
  await inbox.recordOptOut({ contact, how, name })
  const leads = await leadsOf(inbox, contact)
  await print(`Recorded: do not contact ${toPlainLine(contact)}. ${leads.length} of their leads are marked.\n`)
  for (const other of otherContacts(leads, contact))
    await print(`Their leads also have ${other}. If it is theirs: npm run do-not-contact -- '${other}'\n`)
  await print(
    'Tell your texting and mailing services too, and whoever has a copy of the leads: they do not follow this list.\n',
  )
}

try {
  const { help, contact, how, name, csv, ...certificate } = parseOptions()
  if (help) await print(usage)
  else
    await withInbox(certificate, (inbox) => (contact === undefined ? list(inbox, csv) : add(inbox, contact, how, name)))
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  process.exitCode = 64
}
