import { existsSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { readConfigOrExit } from '../config/read-or-exit.ts'
import { copyDatabase, writeFile } from '../store/sqlite/backup.ts'

// `npm run backup -- FILE`: copies a SQLite database to a new file while the service runs. `-` writes it to the standard
// output, to be piped into an encryption program. Exit code 64 (`EX_USAGE` of sysexits.h): no FILE. 1: there is no
// backup.

const [file, ...more] = process.argv.slice(2)
if (file === undefined || more.length > 0) {
  console.error('Usage: npm run backup -- FILE   (or -, for the standard output)')
  process.exit(64)
}
const { databaseUrl } = readConfigOrExit(process.env)
try {
  if (!databaseUrl.startsWith('sqlite:'))
    throw new Error('PostgreSQL is backed up with pg_dump: see docs/operations.md')
  if (file !== '-' && existsSync(file)) throw new Error(`${file} already exists, and a backup never overwrites a file`)
  const path = databaseUrl.slice('sqlite:'.length)
  // Next to the database, where there is space. It has no name while it holds data.
  await copyDatabase(path, `${path}.copy-${process.pid}`, async (bytes, { leads, erased, newest }) => {
    await (file === '-' ? pipeline(bytes, process.stdout) : writeFile(bytes, file))
    console.error(`Backed up ${leads} leads, ${erased} of them erased, the newest received ${newest ?? '–'}.`)
  })
} catch (error) {
  console.error(`There is no backup: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
