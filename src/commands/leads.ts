import { once } from 'node:events'
import { originOf, readInternal } from '../config/internal.ts'
import { readOrExit } from '../config/read-or-exit.ts'
import type { OptOut } from '../gen/leadintake/v1/inbox_pb.ts'
import type { Lead } from '../gen/leadintake/v1/lead_pb.ts'
import { csvHeader, showLead, tableHeader, toCsvLine, toJsonLine, toTableRow } from './leads/formats.ts'
import { createInboxClient, explainFailure, followLeads, type InboxClient, listLeads } from './leads/inbox-client.ts'
import { type LeadsOptions, parseOptions, usage } from './leads/options.ts'

// `npm run leads`: shows the newest leads of the service on this machine. Exit codes of sysexits.h: 64 for an invalid
// command line, 69 when the service does not answer.
const { stdout } = process

/** The first line of each format, and how it shows a lead. */
const formats = {
  table: { header: tableHeader, row: toTableRow },
  csv: { header: csvHeader, row: toCsvLine },
  json: { header: '', row: toJsonLine },
}

/** Writes, and waits if the reader is slower. */
async function print(text: string): Promise<void> {
  if (!stdout.write(text)) await once(stdout, 'drain')
}

async function optOutsOf(inbox: InboxClient, { content: { value } }: Lead): Promise<OptOut[]> {
  const contacts = [value?.phone, value?.email].filter((contact) => contact !== undefined)
  const answers = await Promise.all(contacts.map((contact) => inbox.findOptOuts({ contact })))
  return answers.flatMap(({ optOuts }) => optOuts)
}

async function show(options: LeadsOptions): Promise<void> {
  const listen = readOrExit(readInternal, process.env)
  const origin = originOf(listen)
  try {
    const inbox = createInboxClient(listen, options)
    const { header, row } = formats[options.format]
    if (options.id !== '') {
      const { lead } = await inbox.getLead({ id: options.id })
      if (lead && options.format === 'table') await print(showLead(lead, await optOutsOf(inbox, lead)))
      else if (lead) await print(`${header}${row(lead)}`)
      return
    }
    const leads = listLeads(inbox, options, Date.now())
    let next = await leads.next()
    if (next.done && !options.follow && options.format === 'table') return await print('No leads.\n')
    await print(header)
    for (; !next.done; next = await leads.next()) await print(row(next.value))
    if (!options.follow) return
    const interrupted = (error: Error) => console.error(`${explainFailure(error, origin)} Trying again.`)
    for await (const lead of followLeads(inbox, next.value, interrupted)) await print(row(lead))
  } catch (error) {
    console.error(explainFailure(error, origin))
    process.exitCode = 69
  }
}

// The reader has closed the pipe, as in `npm run -s leads | head`.
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 74))
function readOptions() {
  try {
    return parseOptions(process.argv.slice(2), Date.now())
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    process.exit(64)
  }
}
const options = readOptions()
await (options ? show(options) : print(usage))
