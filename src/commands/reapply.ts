import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { contactsOfLead } from '../inbox/contact.ts'
import { parseRecord, type Recorded, recordTexts } from '../inbox/log-lines.ts'
import type { OptOuts } from '../inbox/opt-outs.ts'
import type { Contact, InboxStore, OptOut } from '../inbox/stored-lead.ts'
import type { Store } from '../store/open.ts'
import { exitWithUsage, openOptOuts, runOnStore, showAmount, showProgress } from './run.ts'

// `npm run erasures:reapply FILE…`: repeats opt-outs and erasures after a restore. The files have log lines of the service
// (`opt-out recorded`, `lead erased`), lines of consumers (`erase again: ID`, `opt-out again: ID TIME`), or ids, in any order.
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
async function* read(file: string, onUnread = () => {}): AsyncGenerator<Recorded | { optOut: OptOut }> {
  for await (const line of createInterface(Readable.from(showAmount(createReadStream(file), 'read')))) {
    const recorded = parseRecord(line, now)
    if (recorded) yield recorded
    else if (recordTexts.some((text) => line.includes(text))) onUnread()
  }
  showProgress('')
}

/** What the files tell of opt-outs: as they were stored, or by a lead that showed one. */
const told: { optOuts: OptOut[]; leads: (Recorded & { optedOutAt: string })[] } = { optOuts: [], leads: [] }

/** Exits if a whole file cannot be read: an opt-out in it must be recorded before another file's erasure. */
async function checkFiles(): Promise<void> {
  for (const file of files) {
    const counts = { read: 0, unread: 0 }
    const reason = await (async () => {
      for await (const recorded of read(file, () => counts.unread++)) {
        counts.read++
        if ('optOut' in recorded) told.optOuts.push(recorded.optOut)
        else if (recorded.optedOutAt !== undefined) told.leads.push({ ...recorded, optedOutAt: recorded.optedOutAt })
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

/** The contacts of the opt-outs that the files tell of, by hash, as far as leads have them. */
async function findContacts(inbox: InboxStore, optOuts: OptOuts): Promise<Map<string, Contact>> {
  const hashes = new Set(told.optOuts.map(({ contactHash }) => contactHash))
  const contacts = new Map<string, Contact>()
  for (let from: number | undefined = 0; from !== undefined; ) {
    const leads = await inbox.readLeads(from, 500)
    for (const [hash, contact] of optOuts.byHash(leads.flatMap(contactsOfLead)))
      if (hashes.has(hash)) contacts.set(hash, contact)
    from = leads.at(-1)?.position
  }
  return contacts
}

async function repeatOptOuts({ inbox }: Store, optOuts: OptOuts): Promise<void> {
  const counts = { recorded: 0, before: 0, unknown: 0 }
  let contacts: Map<string, Contact> | undefined
  told.optOuts.sort((a, b) => (a.recordedAt < b.recordedAt ? -1 : 1))
  for (const optOut of told.optOuts) {
    const known = await inbox.findOptOuts([optOut.contactHash])
    if (known.some(({ recordedAt }) => recordedAt === optOut.recordedAt)) counts.before++
    else {
      contacts ??= await findContacts(inbox, optOuts)
      await inbox.recordOptOut({ ...optOut, contact: contacts.get(optOut.contactHash) })
      showProgress(`${++counts.recorded} opt-outs recorded`)
    }
  }
  const times = new Set(told.optOuts.map(({ recordedAt }) => recordedAt))
  const lost = new Set<string>()
  told.leads.sort((a, b) => (a.optedOutAt < b.optedOutAt ? -1 : 1))
  for (const { id, optedOutAt, erasure } of told.leads) {
    const lead = await inbox.find(id)
    if (!lead || lead.erasure) {
      if (times.has(optedOutAt) || (lead?.optedOutAt ?? '') >= optedOutAt) counts.before++
      else lost.add(id)
      if (!lead && lost.has(id)) counts.unknown++
      continue
    }
    // Unless the lead was erased with the opt-out, it may be of one contact alone, and known.
    const isKnown = ({ how, recordedAt }: OptOut) => recordedAt === optedOutAt && how !== 'restore'
    if (erasure?.at !== optedOutAt && (await optOuts.findOfLead(lead)).some(isKnown)) {
      counts.before++
      continue
    }
    const before = counts.recorded
    for (const optOut of optOuts.ofLead(lead, optedOutAt, undefined)) {
      if ((await optOuts.findOf([optOut.contact])).some(({ recordedAt }) => recordedAt >= optedOutAt)) continue
      await inbox.recordOptOut({ ...optOut, how: 'restore' })
      counts.recorded = before + 1
    }
    if (counts.recorded === before) counts.before++
  }
  showProgress('')
  const { recorded, before, unknown } = counts
  if (recorded + before + unknown > 0)
    console.log(`${recorded} opt-outs recorded, ${before} were known, ${unknown} are of leads not in this database.`)
  if (lost.size > 0)
    complain(`Erased or not here, so nobody knows whose opt-out it was. Record it by hand: ${[...lost].join(' ')}`)
}

async function repeatErasures({ inbox }: Store, optOuts: OptOuts): Promise<void> {
  const counts = { erased: 0, before: 0, unknown: 0 }
  // The log knows when and why a lead was erased, so it comes before the lines of consumers.
  const passes = (['log', 'other'] as const).flatMap((source) => files.map((file) => ({ source, file })))
  for (const { source, file } of passes) {
    for await (const recorded of read(file)) {
      if ('optOut' in recorded || recorded.erasure === undefined || recorded.source !== source) continue
      const known = await inbox.find(recorded.id)
      if (known === undefined) counts.unknown++
      else if (known.erasure !== null) counts.before++
      else {
        // An erased lead keeps the opt-out that it showed.
        const [shown = known] = await optOuts.withOptOuts([known])
        await inbox.erase([{ ...shown, optedOutAt: recorded.optedOutAt ?? shown.optedOutAt }], recorded.erasure)
        showProgress(`${++counts.erased} leads erased`)
      }
    }
  }
  const { erased, before, unknown } = counts
  console.log(`${erased} leads erased, ${before} were already erased, ${unknown} are not in this database.`)
}

await checkFiles()
await runOnStore('The opt-outs and erasures could not be repeated', async (store, config) => {
  const keyIds = told.optOuts.map(({ keyId }) => keyId)
  const optOuts = await openOptOuts(store, config, keyIds)
  // First, because an erased lead no longer says whose opt-out it was.
  await repeatOptOuts(store, optOuts)
  await repeatErasures(store, optOuts)
  console.error('Next: start the service, and repeat this with what the consumers then print.')
})
