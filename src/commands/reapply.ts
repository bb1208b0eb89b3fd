import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { contactsOfLead, fieldOf } from '../inbox/contact.ts'
import { createOptOuts } from '../inbox/opt-outs.ts'
import {
  type LeadRecord,
  type ListedOptOut,
  type LoggedOptOut,
  parseRecord,
  type Restorable,
  recordTexts,
} from '../inbox/records.ts'
import type { Contact, InboxStore } from '../inbox/stored-lead.ts'
import { exitWithUsage, runOnStore } from './run.ts'

// `npm run erasures:reapply FILE…`: repeats opt-outs and erasures after a restore. The files have log lines of the
// service (`opt-out recorded`, `lead erased`), lines of consumers (`erase again: ID`, `opt-out again: ID TIME`), ids, or
// the do-not-contact list as `npm run do-not-contact -- --csv` prints it, in any order. Safe to repeat. Exit code 1: not everything could be repeated.

const usage = 'Expected files with log lines or ids: npm run erasures:reapply FILE…'
const files = process.argv.slice(2)
if (files.length === 0 || !files.every((file) => existsSync(file))) exitWithUsage(usage)
const now = new Date().toISOString()

function complain(text: string): void {
  console.log(text)
  process.exitCode = 1
}

/** Reads the records of a file. A log may be larger than the memory, so each pass reads it again. */
async function* read(file: string, onUnread = () => {}): AsyncGenerator<Restorable> {
  for await (const line of createInterface(createReadStream(file))) {
    const record = parseRecord(line, now)
    if (record) yield record
    else if (recordTexts.some((text) => line.includes(text))) onUnread()
  }
}

/** The opt-outs in the files: with their contact, with leads in its place, and seen with a lead by a consumer. */
const listed: ListedOptOut[] = []
const logged: LoggedOptOut[] = []
const seen: (LeadRecord & { optedOutAt: string })[] = []

/** Exits if a whole file cannot be read: an opt-out in it must be recorded before another file's erasure. */
async function checkFiles(): Promise<void> {
  for (const file of files) {
    const counts = { read: 0, unread: 0 }
    const reason = await (async () => {
      for await (const record of read(file, () => counts.unread++)) {
        counts.read++
        if ('listed' in record) listed.push(record.listed)
        else if ('optOut' in record) logged.push(record.optOut)
        else if (record.optedOutAt !== undefined) seen.push({ ...record, optedOutAt: record.optedOutAt })
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

/** Whose opt-out the log means: the contact of one of its leads that this database still has. */
async function findContact(inbox: InboxStore, { leadIds, contactField }: LoggedOptOut): Promise<Contact | undefined> {
  for (const id of leadIds) {
    const lead = await inbox.find(id)
    const contact = lead && contactsOfLead(lead).find(({ field }) => field === contactField)
    if (contact) return contact
  }
  return undefined
}

async function repeatOptOuts(inbox: InboxStore): Promise<void> {
  const optOuts = createOptOuts({ store: inbox, now: Date.now })
  const counts = { recorded: 0, before: 0 }
  const lost = new Set<string>()
  const keyOf = (at: string, field: string) => `${at} ${field}`
  /** The list as it is. An erased lead no longer says whose an opt-out was, but that of its time is in here. */
  const known = new Set<string>()
  for (let last: Awaited<ReturnType<InboxStore['listOptOuts']>>[number] | undefined; ; ) {
    const page = await inbox.listOptOuts(last, 500)
    for (const { recordedAt, contact } of page) known.add(keyOf(recordedAt, fieldOf(contact)))
    last = page.at(-1)
    if (last === undefined) break
  }
  const byTime = <T>(items: T[], timeOf: (item: T) => string) => items.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))

  for (const optOut of byTime(listed, ({ recordedAt }) => recordedAt)) {
    if ((await inbox.findOptOuts([optOut.contact])).some(({ recordedAt }) => recordedAt === optOut.recordedAt))
      counts.before++
    else {
      await inbox.recordOptOut({ ...optOut, leadIds: [] })
      known.add(keyOf(optOut.recordedAt, optOut.contact.field))
      counts.recorded++
    }
  }
  for (const { contactField, ...optOut } of byTime(logged, ({ recordedAt }) => recordedAt)) {
    const contact = await findContact(inbox, { contactField, ...optOut })
    const isKnown = contact
      ? (await inbox.findOptOuts([contact])).some(({ recordedAt }) => recordedAt === optOut.recordedAt)
      : known.has(keyOf(optOut.recordedAt, contactField))
    if (isKnown) counts.before++
    else if (contact === undefined)
      lost.add(`${optOut.recordedAt} (${[contactField, optOut.how, ...optOut.leadIds].join(', ')})`)
    else {
      await inbox.recordOptOut({ ...optOut, contact, name: null })
      known.add(keyOf(optOut.recordedAt, contactField))
      counts.recorded++
    }
  }
  for (const { id, optedOutAt } of byTime(seen, (record) => record.optedOutAt)) {
    const lead = await inbox.find(id)
    if (!lead || lead.erasure) {
      const isKnown =
        (lead?.optedOutAt ?? '') >= optedOutAt ||
        ['phone', 'email'].some((field) => known.has(keyOf(optedOutAt, field)))
      if (isKnown) counts.before++
      else lost.add(`${optedOutAt} (${id})`)
      continue
    }
    const own = await optOuts.findOfLead(lead)
    // It may be of one contact alone, and known.
    const isKnown = own.some(({ recordedAt, how }) => recordedAt === optedOutAt && how !== 'restore')
    const missing = (await optOuts.ofLead(lead, optedOutAt, 'restore', null)).filter(
      ({ contact }) =>
        !own.some(({ contact: value, recordedAt }) => value === contact.value && recordedAt >= optedOutAt),
    )
    if (isKnown || missing.length === 0) counts.before++
    else {
      for (const optOut of missing) await inbox.recordOptOut(optOut)
      counts.recorded++
    }
  }
  if (listed.length + logged.length + seen.length > 0)
    console.log(`${counts.recorded} opt-outs recorded, ${counts.before} were known.`)
  if (lost.size > 0)
    complain(
      `Of leads that are erased or not here, so nobody knows whose they were. Record these by hand: ${[...lost].join('; ')}`,
    )
}

async function repeatErasures(inbox: InboxStore): Promise<void> {
  const counts = { erased: 0, before: 0, unknown: 0 }
  // The log knows when and why a lead was erased, so it comes before the lines of consumers.
  const passes = (['log', 'other'] as const).flatMap((source) => files.map((file) => ({ source, file })))
  for (const { source, file } of passes) {
    for await (const record of read(file)) {
      if (!('id' in record) || record.erasure === undefined || record.source !== source) continue
      const lead = await inbox.find(record.id)
      if (lead === undefined) counts.unknown++
      else if (lead.erasure !== null) counts.before++
      else {
        await inbox.erase([record.id], record.erasure)
        counts.erased++
      }
    }
  }
  const { erased, before, unknown } = counts
  console.log(`${erased} leads erased, ${before} were already erased, ${unknown} are not in this database.`)
}

await checkFiles()
await runOnStore('The opt-outs and erasures could not be repeated', async ({ inbox }) => {
  // First, because an erased lead no longer says whose opt-out it was.
  await repeatOptOuts(inbox)
  await repeatErasures(inbox)
  console.error('Next: start the service, and repeat this with what the consumers then print.')
})
