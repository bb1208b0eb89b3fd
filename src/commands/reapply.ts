import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { contactsOfLead } from '../inbox/contact.ts'
import { parseRecord, type Recorded, recordTexts } from '../inbox/log-lines.ts'
import type { Stops } from '../inbox/stops.ts'
import type { Contact, InboxStore, Stop } from '../inbox/stored-lead.ts'
import type { Store } from '../store/open.ts'
import { exitWithUsage, openStops, runOnStore, showAmount, showProgress } from './run.ts'

// `npm run erasures:reapply FILE…`: repeats stops and erasures after a restore. The files have log lines of the service
// (`stop recorded`, `lead erased`), lines of consumers (`erase again: ID`, `stop again: ID TIME`), or ids, in any order.
// Safe to repeat. Exit code 1: not everything could be repeated.

const usage = 'Expected files with log lines or ids: npm run erasures:reapply FILE…'
const files = process.argv.slice(2)
if (files.length === 0 || !files.every((file) => existsSync(file))) exitWithUsage(usage)
const now = new Date().toISOString()

function complain(text: string): void {
  console.log(text)
  process.exitCode = 1
}

/** Reads what a file tells. A log may be larger than the memory, so each pass reads it again. */
async function* read(file: string, onUnread = () => {}): AsyncGenerator<Recorded | { stop: Stop }> {
  for await (const line of createInterface(Readable.from(showAmount(createReadStream(file), 'read')))) {
    const recorded = parseRecord(line, now)
    if (recorded) yield recorded
    else if (recordTexts.some((text) => line.includes(text))) onUnread()
  }
  showProgress('')
}

/** What the files tell of stops: as they were stored, or by a lead that showed one. */
const told: { stops: Stop[]; leads: (Recorded & { stopAt: string })[] } = { stops: [], leads: [] }

/** Exits if a whole file cannot be read: a stop in it must be recorded before another file's erasure. */
async function checkFiles(): Promise<void> {
  for (const file of files) {
    const counts = { read: 0, unread: 0 }
    const reason = await (async () => {
      for await (const recorded of read(file, () => counts.unread++)) {
        counts.read++
        if ('stop' in recorded) told.stops.push(recorded.stop)
        else if (recorded.stopAt !== undefined) told.leads.push({ ...recorded, stopAt: recorded.stopAt })
      }
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

/** The contacts of the stops that the files tell of, by hash, as far as leads have them. */
async function findContacts(inbox: InboxStore, stops: Stops): Promise<Map<string, Contact>> {
  const hashes = new Set(told.stops.map(({ contactHash }) => contactHash))
  const contacts = new Map<string, Contact>()
  for (let from: number | undefined = 0; from !== undefined; ) {
    const leads = await inbox.readLeads(from, 500)
    for (const [hash, contact] of stops.byHash(leads.flatMap(contactsOfLead)))
      if (hashes.has(hash)) contacts.set(hash, contact)
    from = leads.at(-1)?.position
  }
  return contacts
}

async function repeatStops({ inbox }: Store, stops: Stops): Promise<void> {
  const counts = { recorded: 0, before: 0, unknown: 0 }
  let contacts: Map<string, Contact> | undefined
  told.stops.sort((a, b) => (a.recordedAt < b.recordedAt ? -1 : 1))
  for (const stop of told.stops) {
    const known = await inbox.findStops([stop.contactHash])
    if (known.some(({ recordedAt }) => recordedAt === stop.recordedAt)) counts.before++
    else {
      contacts ??= await findContacts(inbox, stops)
      await inbox.recordStop({ ...stop, contact: contacts.get(stop.contactHash) })
      showProgress(`${++counts.recorded} stops recorded`)
    }
  }
  const times = new Set(told.stops.map(({ recordedAt }) => recordedAt))
  const lost = new Set<string>()
  told.leads.sort((a, b) => (a.stopAt < b.stopAt ? -1 : 1))
  for (const { id, stopAt, erasure } of told.leads) {
    const lead = await inbox.find(id)
    if (!lead || lead.erasure) {
      if (times.has(stopAt) || (lead?.stoppedAt ?? '') >= stopAt) counts.before++
      else lost.add(id)
      if (!lead && lost.has(id)) counts.unknown++
      continue
    }
    // Unless the lead was erased with the stop, it may be of one contact alone, and known.
    const isKnown = ({ how, recordedAt }: Stop) => recordedAt === stopAt && how !== 'restore'
    if (erasure?.at !== stopAt && (await stops.findOfLead(lead)).some(isKnown)) {
      counts.before++
      continue
    }
    const before = counts.recorded
    for (const stop of stops.ofLead(lead, stopAt, undefined)) {
      if ((await stops.findOf([stop.contact])).some(({ recordedAt }) => recordedAt >= stopAt)) continue
      await inbox.recordStop({ ...stop, how: 'restore' })
      counts.recorded = before + 1
    }
    if (counts.recorded === before) counts.before++
  }
  showProgress('')
  const { recorded, before, unknown } = counts
  if (recorded + before + unknown > 0)
    console.log(`${recorded} stops recorded, ${before} were known, ${unknown} are of leads not in this database.`)
  if (lost.size > 0)
    complain(`Erased or not here, so nobody knows whose stop it was. Record it by hand: ${[...lost].join(' ')}`)
}

async function repeatErasures({ inbox }: Store, stops: Stops): Promise<void> {
  const counts = { erased: 0, before: 0, unknown: 0 }
  // The log knows when and why a lead was erased, so it comes before the lines of consumers.
  const passes = (['log', 'other'] as const).flatMap((source) => files.map((file) => ({ source, file })))
  for (const { source, file } of passes) {
    for await (const recorded of read(file)) {
      if ('stop' in recorded || recorded.erasure === undefined || recorded.source !== source) continue
      const known = await inbox.find(recorded.id)
      if (known === undefined) counts.unknown++
      else if (known.erasure !== null) counts.before++
      else {
        // An erased lead keeps the stop that it showed.
        const [shown = known] = await stops.withStops([known])
        await inbox.erase([{ ...shown, stoppedAt: recorded.stopAt ?? shown.stoppedAt }], recorded.erasure)
        showProgress(`${++counts.erased} leads erased`)
      }
    }
  }
  const { erased, before, unknown } = counts
  console.log(`${erased} leads erased, ${before} were already erased, ${unknown} are not in this database.`)
}

await checkFiles()
await runOnStore('The stops and erasures could not be repeated', async (store, config) => {
  const keyIds = told.stops.map(({ keyId }) => keyId)
  const stops = await openStops(store, config, keyIds)
  // First, because an erased lead no longer says whose stop it was.
  await repeatStops(store, stops)
  await repeatErasures(store, stops)
  console.error('Next: start the service, and repeat this with what the consumers then print.')
})
