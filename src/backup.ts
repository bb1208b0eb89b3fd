import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { readConfigOrExit } from './config/read-or-exit.ts'
import { type BackupSummary, backUp } from './store/backup.ts'

// `npm run backup -- FILE`: writes a snapshot of the database to a file while the service runs. `-` writes it to
// standard output, to be piped into an encryption program. Exit code 64 (`EX_USAGE` of sysexits.h): no FILE. 1: the
// backup failed.

function tell({ leads, erased, newest, bytes }: BackupSummary): void {
  const megabytes = (bytes / 1e6).toFixed(1)
  console.error(
    `Backed up ${leads} leads, ${erased} of them erased, the newest received ${newest ?? '–'}: ${megabytes} MB, checked.`,
  )
}

/** Uses a temporary file next to the database, which has the space and the restrictive permissions. */
async function toOutput(url: string): Promise<void> {
  const base = url.startsWith('sqlite:') ? dirname(url.slice('sqlite:'.length)) : tmpdir()
  const folder = mkdtempSync(join(base, 'backup-'))
  try {
    const file = join(folder, 'leads.db')
    const summary = await backUp(url, file)
    await pipeline(createReadStream(file), process.stdout)
    tell(summary)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [file, ...more] = process.argv.slice(2)
if (file === undefined || more.length > 0) {
  console.error('Usage: npm run backup -- FILE   (or -, for the standard output)')
  process.exit(64)
}
const { databaseUrl } = readConfigOrExit(process.env)
try {
  if (file === '-') await toOutput(databaseUrl)
  else tell(await backUp(databaseUrl, file))
} catch (error) {
  console.error(`There is no backup: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
