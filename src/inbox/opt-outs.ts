import { randomUUID } from 'node:crypto'
import { clockToleranceMs } from '../lead/date-time.ts'
import { normalizeField } from '../lead/normalize.ts'
import { inboxFaults } from '../words/inbox.ts'
import { contactsOfLead, parseContact } from './contact.ts'
import { invalid, parseTime } from './parse-fields.ts'
import type { InboxStore, NewOptOut, OptOut, StoredLead } from './stored-lead.ts'

/** A contact channel, with the proto file's name in lowercase. */
export type Channel = 'phone' | 'text' | 'email'

/** A request not to be contacted. Times are whole milliseconds since the epoch. */
export interface OptOutInput {
  contact: string
  /** The person's name. Empty: not known. */
  name: string
  /** Empty: all channels. */
  channels: readonly Channel[]
  /** Undefined: now. */
  saidAtMs: number | undefined
  how: string
}

export interface OptOutsOptions {
  store: Pick<InboxStore, 'recordOptOut' | 'findOptOuts' | 'findLeadIds'>
  /** Milliseconds since the epoch. */
  now: () => number
}

export type OptOuts = ReturnType<typeof createOptOuts>

/** The do-not-contact list: who does not want to be contacted (docs/specification.md §8). */
export function createOptOuts({ store, now }: OptOutsOptions) {
  const withLeads = async (optOut: Omit<NewOptOut, 'id' | 'leadIds'>) => ({
    id: randomUUID(),
    ...optOut,
    leadIds: await store.findLeadIds(optOut.contact),
  })
  return {
    /** Records an opt-out and returns its time. The person's earlier leads appear in the feed again. */
    async record(input: OptOutInput, caller: string | undefined): Promise<string> {
      const { how } = input
      const contact = parseContact(input.contact)
      const name = parseName(input.name)
      const nowMs = now()
      const saidAt = parseSaidAt(input.saidAtMs ?? nowMs, nowMs)
      const recordedAt = new Date(nowMs).toISOString()
      const channels = [...new Set(input.channels)].sort()
      await store.recordOptOut(
        await withLeads({ contact, name, channels, saidAt, how, recordedAt, caller: caller ?? null }),
      )
      return recordedAt
    },
    /** The opt-outs to record for a lead's number and address. An erased lead has lost them. */
    async ofLead(lead: StoredLead, at: string, how: string, caller: string | null): Promise<NewOptOut[]> {
      const optOut = { name: null, channels: [], saidAt: at, how, recordedAt: at, caller }
      return await Promise.all(contactsOfLead(lead).map((contact) => withLeads({ ...optOut, contact })))
    },
    /** The opt-outs of one number or address, the oldest first. */
    find: (contact: string): Promise<OptOut[]> => store.findOptOuts([parseContact(contact)]),
    /** The opt-outs of a lead's number and address, the oldest first. */
    findOfLead: (lead: StoredLead): Promise<OptOut[]> => store.findOptOuts(contactsOfLead(lead)),
  }
}

const nameMaxLength = 200

function parseName(text: string): string | null {
  const name = normalizeField('name', text)
  if (name.length <= nameMaxLength) return name || null
  throw invalid('name', inboxFaults.person)
}

function parseSaidAt(ms: number, nowMs: number): string {
  const time = parseTime('saidAt', ms)
  if (ms <= nowMs + clockToleranceMs) return time
  throw invalid('saidAt', inboxFaults.said_at)
}
