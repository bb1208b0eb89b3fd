import { createReadStream, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { restoreDatabase } from '../store/sqlite/backup.ts'
import { readArgument, runOnFile } from './terminal.ts'

// `npm run restore -- FILE`: restores a backup to the path of `DATABASE_URL`, where there is no file yet. `-` reads it
// from the standard input, from a decryption program. Exits with 1 if nothing was restored.

const file = readArgument('Usage: npm run restore -- FILE   (or -, for the standard input)')
await runOnFile('Nothing was restored', async (path) => {
  mkdirSync(dirname(path), { recursive: true })
  const bytes = file === '-' ? process.stdin : createReadStream(file)
  const { leads, erased, newest } = await restoreDatabase(bytes, path)
  console.log(`Restored ${leads} leads, ${erased} of them erased, the newest received ${newest ?? '–'}.
Before callers are let in, repeat the opt-outs and erasures since the backup: npm run erasures:reapply FILE…`)
})
