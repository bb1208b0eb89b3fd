// A process that stores leads and prints the id of each acknowledged one, until it is killed.
import { writeSync } from 'node:fs'
import { openStore } from '../../src/store/open.ts'
import { makeLead } from './leads.ts'

const [url = '', callers = '16'] = process.argv.slice(2)
const store = await openStore({ url })

/** Synchronous, so that an acknowledgment is visible outside before anything else happens. */
function print(line: string) {
  for (let written = 0; written < line.length; ) {
    try {
      written += writeSync(1, line.slice(written))
    } catch (error) {
      // The reader is slow, and the pipe is full.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
}

async function write() {
  for (;;) {
    const lead = makeLead()
    await store.submit(lead)
    print(`${lead.id}\n`)
  }
}

await Promise.all(Array.from({ length: Number(callers) }, write))
