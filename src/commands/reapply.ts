import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { Config } from '../config/config.ts'
import { erasureMessage, parseErasure, parseStop } from '../inbox/record-line.ts'
import type { Store } from '../store/open.ts'
import { exitWithUsage, openStops, readArgument, runOnStore, showAmount, showProgress } from './run.ts'

// `npm run erasures:reapply FILE`: repeats stops and erasures after a restore. The file has log lines of the service
// (`lead erased`), lines of consumers (`erase again: ID`, `stop again: ID TIME`), or ids. Safe to repeat. Exit code 1:
// not everything could be repeated.

const usage = 'Expected a file with log lines or ids: npm run erasures:reapply FILE'
const file = readArgument(usage)
if (!existsSync(file)) exitWithUsage(usage)
const now = new Date().toISOString()
async function* lines() {
  yield* createInterface(Readable.from(showAmount(createReadStream(file), 'read')))
  showProgress('')
}

function complain(text: string): void {
  console.log(text)
  process.exitCode = 1
}

async function repeatStops(store: Store, config: Config): Promise<void> {
  const { inbox } = store
  const stops = await openStops(store, config)
  const counts = { recorded: 0, before: 0, unknown: 0 }
  const erased = new Set<string>()
  for await (const line of lines()) {
    const named = parseStop(line, now)
    if (named === undefined) continue
    const { id, at } = named
    const lead = await inbox.find(id)
    const [shown] = lead ? await stops.show([lead]) : []
    if (!lead || !shown) counts.unknown++
    else if (Date.parse(shown.stoppedAt ?? '1970') >= Date.parse(at)) counts.before++
    else if (lead.erasure) erased.add(id)
    else {
      for (const stop of stops.ofLead(lead, at, undefined)) await inbox.recordStop({ ...stop, how: 'restore' })
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

await runOnStore('The stops and erasures could not be repeated', async (store, config) => {
  // First, because an erased lead no longer says whose stop it was.
  await repeatStops(store, config)
  await repeatErasures(store)
  console.error('Next: npm run consent:verify, start the service, and repeat this with what the consumers then print.')
})
