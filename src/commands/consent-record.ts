import { parseArgs } from 'node:util'
import { createRecord, recordJson } from '../consent/record.ts'
import { renderRecord } from '../consent/record-page.ts'
import { parseId } from '../inbox/parse-fields.ts'
import { exitWithUsage, parseOrExit, print, runOnStore } from './terminal.ts'

// `npm run consent:record -- ID`: prints a lead's consent record as HTML or `--json`. Exits with 1 if there is none.

const usage = 'Expected the id of one lead: npm run -s consent:record -- ID [--json]'
const { id, json } = parseOrExit(usage, () => {
  const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true })
  return { id: parseId(positionals.join(' ')), ...values }
})
if (!json && process.stdout.isTTY)
  exitWithUsage(`A record is a page to print. Write it to a file: npm run -s consent:record -- ${id} > record.html`)
await runOnStore('The evidence could not be read', async (store) => {
  const record = await createRecord(id, store, Date.now())
  if (record) await print(json ? recordJson(record) : renderRecord(record))
  else {
    console.error('There is no lead with this id.')
    process.exitCode = 1
  }
})
