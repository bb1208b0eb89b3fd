import { parseArgs } from 'node:util'
import { createRecord, recordJson } from '../evidence/record.ts'
import { renderRecord } from '../evidence/record-page.ts'
import { createOptOuts } from '../inbox/opt-outs.ts'
import { parseId } from '../inbox/parse-fields.ts'
import { exitWithUsage, runOnStore } from './run.ts'

// `npm run consent:record -- ID`: prints the consent record of a lead as HTML, or as `--json`. Exit code 1: no such lead.

function parseOptions(): { id: string; json: boolean } {
  try {
    const { values, positionals } = parseArgs({
      options: { json: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    if (positionals.length === 1) return { id: parseId(String(positionals[0])), json: values.json }
  } catch {
    // An unknown option, or no id.
  }
  exitWithUsage('Expected the id of one lead: npm run consent:record -- ID [--json]')
}

const { id, json } = parseOptions()
if (!json && process.stdout.isTTY)
  exitWithUsage(`A record is a page to print. Write it to a file: npm run -s consent:record -- ${id} > record.html`)
await runOnStore('The evidence could not be read', async (store) => {
  const record = await createRecord(id, {
    leads: store.inbox,
    optOuts: createOptOuts({ store: store.inbox, now: Date.now }),
    readWordings: store.readWordings,
    now: Date.now,
  })
  if (record !== undefined) return console.log(json ? recordJson(record) : renderRecord(record))
  console.error('There is no lead with this id.')
  process.exitCode = 1
})
