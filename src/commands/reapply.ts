import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { readConfigOrExit } from '../config/read-or-exit.ts'
import { erasureMessage, parseErasure } from '../inbox/erasure-line.ts'
import { openExistingStore } from '../store/open.ts'

// `npm run erasures:reapply FILE`: repeats erasures after a restore. The file has log lines of the service (`lead
// erased`) or ids. Safe to repeat. Exit code 1: a line about an erasure could not be read. 64: no such file. 69: the database is unavailable.

const [file = ''] = process.argv.slice(2)
if (!existsSync(file)) {
  console.error('Expected a file with log lines or ids: npm run erasures:reapply FILE')
  process.exit(64)
}
const { databaseUrl } = readConfigOrExit(process.env)
try {
  const store = await openExistingStore(databaseUrl)
  const counts = { erased: 0, before: 0, unknown: 0, unread: 0 }
  const now = new Date().toISOString()
  for await (const line of createInterface(createReadStream(file))) {
    const named = parseErasure(line, now)
    if (named === undefined) {
      if (line.includes(erasureMessage)) counts.unread++
      continue
    }
    const known = await store.inbox.find(named.id)
    if (known === undefined) counts.unknown++
    else if (known.erasure !== null) counts.before++
    else {
      await store.inbox.erase(named.id, named.erasure)
      counts.erased++
    }
  }
  await store.close()
  console.log(
    `${counts.erased} leads erased, ${counts.before} were already erased, ${counts.unknown} are not in this database.`,
  )
  if (counts.unread > 0) {
    console.log(
      `${counts.unread} lines could not be read: pass the lines as the service logged them, not inside another format.`,
    )
    process.exitCode = 1
  }
} catch (error) {
  console.error(`The leads could not be erased: ${error instanceof Error ? error.message : error}`)
  process.exit(69)
}
