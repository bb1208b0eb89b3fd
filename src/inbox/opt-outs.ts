import { randomUUID } from 'node:crypto'
import { clockToleranceMs } from '../lead/date-time.ts'
import { normalizeField } from '../lead/normalize.ts'
import { inboxFaults } from '../words/inbox.ts'
import { contactsOfLead, parseContact } from './contact.ts'
import { invalid, parseTime } from './parse-fields.ts'
import type { InboxStore, NewOptOut, OptOut, StoredLead } from './stored-lead.ts'

/** A contact channel, named as in the proto file but in lowercase. */
export type Channel = 'phone' | 'text' | 'email'

export interface OptOutInput {
  contact: string
  /** Empty if unknown. */
  name: string
  /** Empty for all channels. */
  channels: readonly Channel[]
  /** In milliseconds since the epoch. Defaults to now. */
  saidAtMs: number | undefined
  how: string
}

export type OptOuts = ReturnType<typeof createOptOuts>

/**
 * The do-not-contact list: who does not want to be contacted (docs/specification.md §8).
 * `now` is in milliseconds since the epoch.
 */
export function createOptOuts(
  store: Pick<InboxStore, 'recordOptOut' | 'findOptOuts' | 'findLeadIds'>,
  now: () => number,
) {
  const withLeads = async (optOut: Omit<NewOptOut, 'id' | 'leadIds'>) => ({
    id: randomUUID(),
    ...optOut,
    leadIds: await store.findLeadIds(optOut.contact),
  })
  return {
    /** Records an opt-out and returns its time. The person's earlier leads appear in the feed again. */
    async record(input: OptOutInput, caller: string | null = null): Promise<string> {
      const contact = parseContact(input.contact)
      const name = normalizeField('name', input.name)
      if (name.length > 200) throw invalid('name', inboxFaults.person)
      const nowMs = now()
      const saidAtMs = input.saidAtMs ?? nowMs
      const saidAt = parseTime('saidAt', saidAtMs)
      if (saidAtMs > nowMs + clockToleranceMs) throw invalid('saidAt', inboxFaults.said_at)
      const recordedAt = new Date(nowMs).toISOString()
      const channels = [...new Set(input.channels)].sort()
      const optOut = { contact, name: name || null, channels, saidAt, how: input.how, recordedAt, caller }
      await store.recordOptOut(await withLeads(optOut))
      return recordedAt
    },
    /** The opt-outs to record for a lead's number and address. An erased lead has neither. */
    async ofLead(lead: StoredLead, at: string, how: string, caller: string | null): Promise<NewOptOut[]> {
      const optOut = { name: null, channels: [], saidAt: at, how, recordedAt: at, caller }
      return await Promise.all(contactsOfLead(lead).map((contact) => withLeads({ ...optOut, contact })))
    },
    find: (contact: string): Promise<OptOut[]> => store.findOptOuts([parseContact(contact)]),
    findOfLead: (lead: StoredLead): Promise<OptOut[]> => store.findOptOuts(contactsOfLead(lead)),
  }
}
