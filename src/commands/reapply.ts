import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { erasureMessage, parseRecord, type Recorded } from '../inbox/record-line.ts'
import type { Stops } from '../inbox/stops.ts'
import type { Store } from '../store/open.ts'
import { exitWithUsage, openStops, runOnStore, showAmount, showProgress } from './run.ts'

// `npm run erasures:reapply FILE…`: repeats stops and erasures after a restore. The files have log lines of the service
// (`lead erased`), lines of consumers (`erase again: ID`, `stop again: ID TIME`), or ids, in any order. Safe to repeat.
// Exit code 1: not everything could be repeated.

const usage = 'Expected files with log lines or ids: npm run erasures:reapply FILE…'
const files = process.argv.slice(2)
if (files.length === 0 || !files.every((file) => existsSync(file))) exitWithUsage(usage)
const now = new Date().toISOString()

function complain(text: string): void {
  console.log(text)
  process.exitCode = 1
}

/** Reads what a file tells. A log may be larger than the memory, so each pass reads it again. */
async function* read(file: string, onUnread = () => {}): AsyncGenerator<Recorded> {
  for await (const line of createInterface(Readable.from(showAmount(createReadStream(file), 'read')))) {
    const recorded = parseRecord(line, now)
    if (recorded) yield recorded
    else if (line.includes(erasureMessage)) onUnread()
  }
  showProgress('')
}

async function* readAll(): AsyncGenerator<Recorded> {
  for (const file of files) yield* read(file)
}

/** Exits if a whole file cannot be read: a stop in it must be recorded before another file's erasure. */
async function checkFiles(): Promise<void> {
  for (const file of files) {
    const counts = { read: 0, unread: 0 }
    const reason = await (async () => {
      for await (const _ of read(file, () => counts.unread++)) counts.read++
    })().catch((error: unknown) => `: ${error instanceof Error ? error.message : error}`)
    if (counts.unread > 0)
      complain(
        `${counts.unread} lines could not be read: pass the lines as the service logged them, not inside another format.`,
      )
    if (counts.read > 0 && reason === undefined) continue
    complain(`Nothing was repeated, because ${file} has no line that could be read${reason ?? ''}.`)
    process.exit()
  }
}

async function repeatStops({ inbox }: Store, stops: Stops): Promise<void> {
  const counts = { recorded: 0, before: 0, unknown: 0 }
  const erased = new Set<string>()
  for await (const { id, stopAt } of readAll()) {
    if (stopAt === undefined) continue
    const lead = await inbox.find(id)
    const [shown] = lead ? await stops.show([lead]) : []
    if (!lead || !shown) counts.unknown++
    else if (Date.parse(shown.stoppedAt ?? '1970') >= Date.parse(stopAt)) counts.before++
    else if (lead.erasure) erased.add(id)
    else {
      for (const stop of stops.ofLead(lead, stopAt, undefined)) await inbox.recordStop({ ...stop, how: 'restore' })
      counts.recorded++
    }
  }
  const { recorded, before, unknown } = counts
  if (recorded + before + unknown > 0)
    console.log(`${recorded} stops recorded, ${before} were known, ${unknown} are of leads not in this database.`)
  if (erased.size > 0)
    complain(`Erased leads, so nobody knows whose stop it was. Record it by hand: ${[...erased].join(' ')}`)
}

async function repeatErasures({ inbox }: Store, stops: Stops): Promise<void> {
  const counts = { erased: 0, before: 0, unknown: 0 }
  // The log knows when and why a lead was erased, so it comes before the lines of consumers.
  for (const source of ['log', 'other'] as const) {
    for await (const recorded of readAll()) {
      if (recorded.erasure === undefined || recorded.source !== source) continue
      const known = await inbox.find(recorded.id)
      if (known === undefined) counts.unknown++
      else if (known.erasure !== null) counts.before++
      else {
        await inbox.erase(await stops.show([known]), recorded.erasure)
        counts.erased++
      }
    }
  }
  const { erased, before, unknown } = counts
  console.log(`${erased} leads erased, ${before} were already erased, ${unknown} are not in this database.`)
}

await checkFiles()
await runOnStore('The stops and erasures could not be repeated', async (store, config) => {
  const stops = await openStops(store, config)
  // First, because an erased lead no longer says whose stop it was.
  await repeatStops(store, stops)
  await repeatErasures(store, stops)
  console.error('Next: npm run consent:verify, start the service, and repeat this with what the consumers then print.')
})
