import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { contactsOfLead, createOptOuts } from '../consent/opt-outs.ts'
import { familiarLine, parseRecord, type RestorableOptOut, recordTexts } from '../consent/restore-lines.ts'
import type { Contact, Erasure, InboxStore } from '../inbox/stored-lead.ts'
import { exitWithUsage, messageOf, runOnStore } from './terminal.ts'

// `npm run erasures:reapply FILE…`: after a restore, repeats opt-outs and erasures. The files have log lines of the
// service (`opt-out recorded`, `lead erased`), lines of consumers (`erase again: ID`, `opt-out again: ID TIME`), ids,
// or the list that `npm run do-not-contact -- --csv` prints, in any order. Safe to repeat. Exits with 1 if one failed.

const usage = 'Expected files with log lines or ids: npm run erasures:reapply FILE…'
const files = process.argv.slice(2)
if (files.length === 0 || !files.every((file) => existsSync(file))) exitWithUsage(usage)
const now = new Date().toISOString()

/** The opt-outs in the files by id, from the printed list and the log, and those that consumers saw with a lead. */
const optOuts = new Map<string, RestorableOptOut>()
const reported = new Map<string, { id: string; optedOutAt: string }>()
const erasures = new Map<string, Erasure>()
let hasLog = false

function complain(text: string): void {
  console.log(text)
  process.exitCode = 1
}

/** Reads all files. Exits if one has no readable line, since its opt-outs would have to precede other erasures. */
async function readFiles(): Promise<void> {
  for (const file of files) {
    const counts = { read: 0, unread: 0 }
    const failure = await readLines(file, counts).catch((error: unknown) => `: ${messageOf(error)}`)
    const advice = 'pass the lines as the service logged them, not inside another format'
    if (counts.unread > 0) complain(`${counts.unread} lines could not be read: ${advice}.`)
    if (counts.read > 0 && !failure) continue
    complain(`Nothing was repeated, because ${file} has no line that could be read${failure ?? ''}.`)
    process.exit()
  }
}

async function readLines(file: string, counts: { read: number; unread: number }): Promise<void> {
  for await (const line of createInterface(createReadStream(file))) {
    const record = parseRecord(line, now)
    const isFamiliar = familiarLine.test(line)
    hasLog ||= line.includes('"msg":"')
    if (!record && (recordTexts.some((text) => line.includes(text)) || (line.startsWith('"') && !isFamiliar)))
      counts.unread++
    else if (record || isFamiliar) counts.read++
    if (!record) continue
    if ('reported' in record) reported.set(`${record.reported.id} ${record.reported.optedOutAt}`, record.reported)
    else if ('optOut' in record) {
      // The list is better than the log, because it has the contact.
      const { id, contact } = record.optOut
      if (contact || !optOuts.has(id)) optOuts.set(id, record.optOut)
    } else {
      // The earliest is the log's. A consumer does not know when and why a lead was erased.
      const { id, erasure } = record.erased
      if (erasure.at <= (erasures.get(id)?.at ?? now)) erasures.set(id, erasure)
    }
  }
}

/** Finds whose opt-out it is: for one from the log, through a lead that this database still has. */
async function findContact(inbox: InboxStore, optOut: RestorableOptOut): Promise<Contact | undefined> {
  if (optOut.contact) return optOut.contact
  const leads = await Promise.all(optOut.leadIds.map((id) => inbox.find(id)))
  const contacts = leads.flatMap((lead) => (lead ? contactsOfLead(lead) : []))
  return contacts.find(({ field }) => field === optOut.contactField)
}

async function repeatOptOuts(inbox: InboxStore): Promise<void> {
  const doNotContact = createOptOuts(inbox, Date.now)
  const counts = { recorded: 0, before: 0 }
  const lost: string[] = []
  // All of them: no list has a million entries.
  const recorded = await inbox.listOptOuts(undefined, 1_000_000)
  const known = new Set(recorded.map(({ id }) => id))
  const times = new Set(recorded.flatMap(({ recordedAt, how }) => (how === 'restore' ? [] : recordedAt)))

  for (const optOut of [...optOuts.values()].sort((a, b) => (a.recordedAt < b.recordedAt ? -1 : 1))) {
    const { contactField, ...rest } = optOut
    const { recordedAt, how, caller, leadIds } = rest
    const contact = await findContact(inbox, optOut)
    if (known.has(optOut.id)) counts.before++
    else if (contact === undefined)
      lost.push(`${recordedAt} (${[contactField, how, ...(caller ? [caller] : []), ...leadIds].join(', ')})`)
    else {
      await inbox.recordOptOut({ ...rest, contact })
      times.add(recordedAt)
      counts.recorded++
    }
  }
  for (const { id, optedOutAt } of [...reported.values()].sort((a, b) => (a.optedOutAt < b.optedOutAt ? -1 : 1))) {
    const lead = await inbox.find(id)
    if (!lead || lead.erasure) {
      // An erased lead no longer tells whose it was.
      if ((lead?.optedOutAt ?? '') >= optedOutAt || times.has(optedOutAt)) counts.before++
      else lost.push(`${optedOutAt} (${id})`)
      continue
    }
    const own = await inbox.findOptOuts(contactsOfLead(lead))
    if (own.some(({ recordedAt, how }) => recordedAt === optedOutAt && how !== 'restore')) counts.before++
    else {
      // The person may have a later one for one contact only.
      const later = new Set(own.filter(({ recordedAt }) => recordedAt >= optedOutAt).map(({ contact }) => contact))
      const all = await doNotContact.ofLead(lead, optedOutAt, 'restore', null)
      const missing = all.filter(({ contact }) => !later.has(contact.value))
      for (const optOut of missing) await inbox.recordOptOut(optOut)
      counts.recorded += missing.length
      counts.before += all.length - missing.length
    }
  }
  if (optOuts.size + reported.size > 0)
    console.log(`${counts.recorded} opt-outs recorded, ${counts.before} were known.`)
  if (lost.length === 0) return
  const list = 'repeat this with the printed do-not-contact list (CSV) as a second file, or '
  const advice = optOuts.values().some(({ contact }) => contact) ? '' : list
  const why = 'No file has the number or address of some opt-outs, and their leads are erased or missing'
  complain(`${why}; ${advice}ask who took each at its time, and record these by hand: ${lost.join('; ')}`)
}

async function repeatErasures(inbox: InboxStore): Promise<void> {
  const counts = { erased: 0, before: 0, unknown: 0 }
  for (const [id, erasure] of erasures) {
    const lead = await inbox.find(id)
    if (lead?.erasure === null) await inbox.erase([id], erasure)
    counts[!lead ? 'unknown' : lead.erasure ? 'before' : 'erased']++
  }
  const rest = `${counts.before} were already erased, ${counts.unknown} are not in this database.`
  console.log(`${counts.erased} leads erased, ${rest}`)
  // The list alone, of which only one without opt-outs needs no log.
  if (erasures.size === 0 && !hasLog && optOuts.size + reported.size > 0)
    complain("No line about erasures in these files: leads erased since the backup are back. Add the service's log.")
}

await readFiles()
await runOnStore('The opt-outs and erasures could not be repeated', async ({ inbox }) => {
  // Opt-outs come first, because an erased lead no longer tells whose they are.
  await repeatOptOuts(inbox)
  await repeatErasures(inbox)
  console.error('Next: start the service if it is stopped, and repeat this with what consumers (leads-to-mail) print.')
})
