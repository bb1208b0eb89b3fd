import { existsSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { sqlitePath } from '../config/database-url.ts'
import { copyDatabase, type Deliver, writeFile } from '../store/sqlite/backup.ts'
import { readArgument, run, showAmount, showProgress } from './run.ts'

// `npm run backup -- FILE`: copies a SQLite database to a new file while the service runs. `-` writes it to the standard
// output, to be piped into an encryption program. Exit code 1: there is no backup.

const file = readArgument('Usage: npm run backup -- FILE   (or -, for the standard output)')
await run('There is no backup', async ({ databaseUrl }) => {
  const path = sqlitePath(databaseUrl)
  if (path === undefined) throw new Error('PostgreSQL is backed up with pg_dump: see docs/operations.md')
  if (file !== '-' && existsSync(file)) throw new Error(`${file} already exists, and a backup never overwrites a file`)
  // The copy is next to the database, where there is space.
  const deliver: Deliver = async (copy, { leads, erased, newest }) => {
    const bytes = showAmount(copy, 'written')
    await (file === '-' ? pipeline(bytes, process.stdout) : writeFile(bytes, file))
    showProgress('')
    console.error(`Backed up ${leads} leads, ${erased} of them erased, the newest received ${newest ?? '–'}.`)
    console.error(
      'It holds personal data: encrypt it, and keep a copy on another machine. `npm run restore` puts it back.',
    )
  }
  await copyDatabase(path, `${path}.copy-${process.pid}`, deliver, showProgress)
})
