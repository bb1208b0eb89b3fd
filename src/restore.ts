import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { readConfigOrExit } from './config/read-or-exit.ts'
import { restore } from './store/backup.ts'

// `npm run restore -- FILE`: restores a backup into an empty database. `-` reads it from standard input, from a
// decryption program. Exit code 64 (`EX_USAGE` of sysexits.h): no FILE. 1: nothing was restored.

const ownerOnly = 0o600

async function restoreFrom(url: string, file: string): Promise<void> {
  const { leads, erased, newest } = await restore(url, file)
  console.log(`Restored ${leads} leads, ${erased} of them erased, the newest received ${newest ?? '–'}.`)
  console.log('Before callers are let in, repeat the erasures since the backup: npm run erasures:reapply FILE')
}

/** Uses a temporary file next to the database that only its owner may read. */
async function fromInput(url: string): Promise<void> {
  const base = url.startsWith('sqlite:') ? dirname(url.slice('sqlite:'.length)) : tmpdir()
  mkdirSync(base, { recursive: true })
  const folder = mkdtempSync(join(base, 'restore-'))
  try {
    const file = join(folder, 'leads.db')
    await pipeline(process.stdin, createWriteStream(file, { mode: ownerOnly }))
    await restoreFrom(url, file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [file, ...more] = process.argv.slice(2)
if (file === undefined || more.length > 0) {
  console.error('Usage: npm run restore -- FILE   (or -, for the standard input)')
  process.exit(64)
}
const { databaseUrl } = readConfigOrExit(process.env)
try {
  if (file === '-') await fromInput(databaseUrl)
  else await restoreFrom(databaseUrl, file)
} catch (error) {
  console.error(`Nothing was restored: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
