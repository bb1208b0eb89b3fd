import { createReadStream, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { readConfigOrExit } from '../config/read-or-exit.ts'
import { restoreDatabase } from '../store/sqlite/backup.ts'

// `npm run restore -- FILE`: restores a backup to the path of `DATABASE_URL`, where there is no file yet. `-` reads it
// from the standard input, from a decryption program. Exit code 64 (`EX_USAGE` of sysexits.h): no FILE. 1: nothing was
// restored.

const [file, ...more] = process.argv.slice(2)
if (file === undefined || more.length > 0) {
  console.error('Usage: npm run restore -- FILE   (or -, for the standard input)')
  process.exit(64)
}
const { databaseUrl } = readConfigOrExit(process.env)
try {
  if (!databaseUrl.startsWith('sqlite:'))
    throw new Error('PostgreSQL is restored with pg_restore: see docs/operations.md')
  const path = databaseUrl.slice('sqlite:'.length)
  mkdirSync(dirname(path), { recursive: true })
  const bytes = file === '-' ? process.stdin : createReadStream(file)
  const { leads, erased, newest } = await restoreDatabase(bytes, path)
  console.log(`Restored ${leads} leads, ${erased} of them erased, the newest received ${newest ?? '–'}.`)
  console.log('Before callers are let in, repeat the erasures since the backup: npm run erasures:reapply FILE')
} catch (error) {
  console.error(`Nothing was restored: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
