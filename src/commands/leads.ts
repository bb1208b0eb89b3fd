import { once } from 'node:events'
import { styleText } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { readInternal } from '../config/internal.ts'
import { readOrExit } from '../config/read-or-exit.ts'
import { type Lead, LeadSchema } from '../gen/leadintake/v1/lead_pb.ts'
import { createInbox, explainFailure, followLeads, listLeads, originOf } from '../viewer/client.ts'
import { parseOptions, UsageError, usage, type ViewerOptions } from '../viewer/options.ts'
import { cleanJson, csvHeader, toCsvLine } from '../viewer/record.ts'
import { createTable, showLead } from '../viewer/table.ts'

// `npm run leads`: shows the newest leads of the service on this machine. Exit codes of sysexits.h: 64 for an invalid
// command line, 69 when the service does not answer.
const { stdout } = process

/** Formats leads, and provides the header line of each format. */
function createWriter(format: ViewerOptions['format']): { header: string; row(lead: Lead): string } {
  if (format === 'csv') return { header: csvHeader, row: toCsvLine }
  if (format === 'json') {
    return { header: '', row: (lead) => `${JSON.stringify(cleanJson(toJson(LeadSchema, lead)))}\n` }
  }
  const width = stdout.columns || Number(process.env.COLUMNS) || 120
  return createTable(width, (style, text) => styleText(style, text, { stream: stdout }))
}

/** Writes, and waits if the reader is slower. */
async function print(text: string): Promise<void> {
  if (!stdout.write(text)) await once(stdout, 'drain')
}

async function show(options: ViewerOptions): Promise<void> {
  const listen = readOrExit(readInternal, process.env)
  const origin = originOf(listen)
  try {
    const inbox = createInbox(listen, options)
    const writer = createWriter(options.format)
    if (options.id !== '') {
      const { lead } = await inbox.getLead({ id: options.id })
      if (lead) await print(options.format === 'table' ? showLead(lead) : `${writer.header}${writer.row(lead)}`)
      return
    }
    const leads = listLeads(inbox, options, Date.now())
    let next = await leads.next()
    if (next.done && !options.follow && options.format === 'table') return await print('No leads.\n')
    await print(writer.header)
    for (; !next.done; next = await leads.next()) await print(writer.row(next.value))
    if (!options.follow) return
    const interrupted = (error: Error) => console.error(`${explainFailure(error, origin)} Trying again.`)
    for await (const lead of followLeads(inbox, { cursor: next.value, interrupted })) {
      await print(writer.row(lead))
    }
  } catch (error) {
    console.error(explainFailure(error, origin))
    process.exitCode = 69
  }
}

// The reader has closed the pipe, as in `npm run -s leads | head`.
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 74))
try {
  const options = parseOptions(process.argv.slice(2), Date.now())
  if (options) await show(options)
  else await print(usage)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`${error.message}\n\n${usage}`)
  process.exitCode = 64
}
