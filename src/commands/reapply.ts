import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { exitWithFaults, readConfigOrExit } from '../config/read-or-exit.ts'
import { erasureMessage, parseErasure, parseStop } from '../inbox/erasure-line.ts'
import { createStops } from '../inbox/stops.ts'
import { openExistingStore, type Store } from '../store/open.ts'

// `npm run erasures:reapply FILE`: repeats stops and erasures after a restore. The file has log lines of the service
// (`lead erased`), lines of consumers (`erase again: ID`, `stop again: ID TIME`), or ids. Safe to repeat. Exit code 1:
// not everything could be repeated. 64: no such file. 69: the database is unavailable.

const [file = ''] = process.argv.slice(2)
if (!existsSync(file)) {
  console.error('Expected a file with log lines or ids: npm run erasures:reapply FILE')
  process.exit(64)
}
const { databaseUrl, stopKeys } = readConfigOrExit(process.env)
const now = new Date().toISOString()
const lines = () => createInterface(createReadStream(file))

function complain(text: string): void {
  console.log(text)
  process.exitCode = 1
}

async function repeatStops({ inbox }: Store): Promise<void> {
  const stops = createStops({ store: inbox, keys: stopKeys, now: Date.now, onError() {} })
  const keyFault = await stops.findKeyFault()
  const counts = { recorded: 0, before: 0, unknown: 0 }
  const erased = new Set<string>()
  for await (const line of lines()) {
    const named = parseStop(line, now)
    if (named === undefined) continue
    if (keyFault !== undefined) exitWithFaults([keyFault])
    const { id, at } = named
    const lead = await inbox.find(id)
    const [shown] = lead ? await stops.show([lead]) : []
    if (!lead || !shown) counts.unknown++
    else if (Date.parse(shown.stoppedAt ?? '1970') >= Date.parse(at)) counts.before++
    else if (lead.erasure) erased.add(id)
    else {
      const how = 'reported by a consumer after a restore'
      for (const stop of stops.ofLead(lead, at, undefined)) await inbox.recordStop({ ...stop, how })
      counts.recorded++
    }
  }
  const { recorded, before, unknown } = counts
  if (recorded + before + unknown > 0)
    console.log(`${recorded} stops recorded, ${before} were known, ${unknown} are of leads not in this database.`)
  if (erased.size > 0)
    complain(`Erased leads, so nobody knows whose stop it was. Record it by hand: ${[...erased].join(' ')}`)
}

async function repeatErasures({ inbox }: Store): Promise<void> {
  const counts = { erased: 0, before: 0, unknown: 0, unread: 0 }
  for await (const line of lines()) {
    const named = parseErasure(line, now)
    if (named === undefined) {
      if (line.includes(erasureMessage)) counts.unread++
      continue
    }
    const known = await inbox.find(named.id)
    if (known === undefined) counts.unknown++
    else if (known.erasure !== null) counts.before++
    else {
      await inbox.erase(named.id, named.erasure)
      counts.erased++
    }
  }
  const { erased, before, unknown, unread } = counts
  console.log(`${erased} leads erased, ${before} were already erased, ${unknown} are not in this database.`)
  if (unread > 0)
    complain(`${unread} lines could not be read: pass the lines as the service logged them, not inside another format.`)
}

try {
  const store = await openExistingStore(databaseUrl)
  // First, because an erased lead no longer says whose stop it was.
  await repeatStops(store)
  await repeatErasures(store)
  await store.close()
} catch (error) {
  console.error(`The stops and erasures could not be repeated: ${error instanceof Error ? error.message : error}`)
  process.exit(69)
}
