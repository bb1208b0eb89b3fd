import { findOptOutsOf, type InboxClient, listLeads, withInbox } from './inbox.ts'
import { csvHeader, describeListed, showLead, tableHeader, toCsvLine, toJsonLine, toTableRow } from './leads/formats.ts'
import { parseOptions, usage } from './leads/options.ts'
import { parseOrExit, print } from './terminal.ts'

const formats = {
  table: { header: tableHeader, row: toTableRow },
  csv: { header: csvHeader, row: toCsvLine },
  json: { header: '', row: toJsonLine },
}
const options = parseOrExit(usage, () => parseOptions(process.argv.slice(2), Date.now()))
const { header, row } = formats[options.format]

async function showOne(inbox: InboxClient): Promise<void> {
  const { lead } = await inbox.getLead({ id: options.id })
  if (!lead) return
  const answers = await findOptOutsOf(inbox, [lead])
  const optOuts = answers.flatMap((answer) => answer.optOuts)
  await print(options.format === 'table' ? showLead(lead, optOuts) : header + row(lead))
}

async function show(inbox: InboxClient): Promise<void> {
  let count = 0
  for await (const lead of listLeads(inbox, options, Date.now()))
    if (!(await print((count++ === 0 ? header : '') + row(lead)))) return
  const isTable = options.format === 'table'
  const hint = options.name && !options.contact ? ' The do-not-contact list was not searched: try --contact.' : ''
  if (count === 0) await print(isTable ? `No leads.${hint}\n` : header)
  else if (isTable && count === options.limit)
    console.error(`These are the newest ${count}. Add --name, --since or --limit to find others.`)
  if (count > 0 || options.contact === '') return
  const { optOuts } = await inbox.findOptOuts({ contact: options.contact })
  const tell = isTable ? console.log : console.error
  for (const optOut of optOuts) tell(`ON THE DO-NOT-CONTACT LIST: ${describeListed(optOut)}`)
}

await withInbox(options.id === '' ? show : showOne)
