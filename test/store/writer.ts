// A process that stores leads and prints the id of each acknowledged one, until it is killed.
import { writeSync } from 'node:fs'
import { openStore } from '../../src/store/open.ts'
import { makeLead } from './leads.ts'

const [url = '', callers = '16'] = process.argv.slice(2)
const store = await openStore({ url })

async function write() {
  for (;;) {
    const lead = makeLead()
    await store.submit(lead)
    // Synchronous, so that an acknowledgment is visible outside before anything else happens.
    writeSync(1, `${lead.id}\n`)
  }
}

await Promise.all(Array.from({ length: Number(callers) }, write))
