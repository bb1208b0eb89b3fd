import { createReadStream, existsSync, openSync, rmSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { copyDatabase, publish } from '../store/sqlite/backup.ts'
import { readArgument, runOnFile } from './terminal.ts'

// `npm run backup -- FILE`: copies a SQLite database to a new file while the service runs. `-` writes it to the
// standard output, for a pipe into an encryption program. Exits with 1 if there is no backup.

const file = readArgument('Usage: npm run backup -- FILE   (or -, for the standard output)')
await runOnFile('There is no backup', async (path) => {
  if (file !== '-' && existsSync(file)) throw new Error(`${file} already exists, and a backup never overwrites a file`)
  // For a pipe, the copy is next to the database, where there is space.
  const copy = file === '-' ? `${path}.copy-${process.pid}` : `${file}.partial`
  // An interrupted run may have left one.
  rmSync(copy, { force: true })
  try {
    const { leads, erased, newest } = copyDatabase(path, copy)
    if (file === '-') {
      const fd = openSync(copy, 'r')
      // Remove it now, so that nothing remains even if the process is killed.
      rmSync(copy)
      await pipeline(createReadStream(copy, { fd }), process.stdout)
    } else publish(copy, file)
    console.error(`Backed up ${leads} leads, ${erased} of them erased, the newest received ${newest ?? '–'}.
It holds personal data: encrypt it, and keep a copy on another machine. \`npm run restore\` puts it back.`)
  } finally {
    rmSync(copy, { force: true })
  }
})
