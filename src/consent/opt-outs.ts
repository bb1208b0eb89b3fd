import { randomUUID } from 'node:crypto'
import { beginning, parseToken, renderToken } from '../inbox/cursor.ts'
import { contactFields, invalid, parseContact } from '../inbox/parse-fields.ts'
import type { Contact, InboxStore, NewOptOut, OptOut, StoredLead, Time } from '../inbox/stored-lead.ts'
import { clockToleranceMs } from '../lead/check-value.ts'
import { contactsOf, normalizeField } from '../lead/normalize.ts'
import { inboxFaults } from '../words/inbox.ts'
import { decodePersonal } from './evidence-texts.ts'

/** `name` is empty if unknown. Without `saidAt`, it is now. */
export type OptOutInput = Pick<OptOut, 'contact' | 'channels' | 'how'> & { name: string; saidAt: Time | undefined }

const pageRows = 1_000

export type OptOuts = ReturnType<typeof createOptOuts>

/** The do-not-contact list (docs/specification.md §8). `now` is in milliseconds since the epoch. */
export function createOptOuts(store: InboxStore, now: () => number) {
  const withLeads = async (optOut: Omit<NewOptOut, 'id' | 'leadIds'>) => ({
    id: randomUUID(),
    ...optOut,
    leadIds: await store.findLeadIds(optOut.contact),
  })
  return {
    /** Records an opt-out and returns its time. The person's earlier leads appear in the feed again. */
    async record(input: OptOutInput, caller: string | null = null): Promise<string> {
      const contact = parseContact(input.contact)
      if (input.channels.some((channel) => (channel === 'email') !== (contact.field === 'email')))
        throw invalid('channels', inboxFaults.channels_of_contact)
      const name = normalizeField('name', input.name)
      if ([...name].length > 200) throw invalid('name', inboxFaults.person)
      const nowMs = now()
      const recordedAt = new Date(nowMs).toISOString()
      const { saidAt = recordedAt } = input
      if (Date.parse(saidAt) > nowMs + clockToleranceMs) throw invalid('saidAt', inboxFaults.said_at)
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
    /** Whether an opt-out was recorded with an erasure at this time. */
    hasErasureAt: async (at: Time): Promise<boolean> => {
      const found = await store.listOptOuts({ recordedAt: at, contact: '', id: beginning.id }, pageRows)
      return found.some(({ recordedAt, how }) => recordedAt === at && how === 'erasure')
    },
    find: (contact: string): Promise<OptOut[]> => store.findOptOuts([parseContact(contact)]),
    async list(pageToken: string): Promise<{ optOuts: readonly OptOut[]; nextPageToken: string }> {
      const after = parseToken<Pick<OptOut, 'recordedAt' | 'contact' | 'id'>>('opt-outs', pageToken)
      if (pageToken !== '' && after === undefined) throw invalid('pageToken', inboxFaults.page_token)
      const found = await store.listOptOuts(after, pageRows)
      if (found.length < pageRows) return { optOuts: found, nextPageToken: '' }
      const { recordedAt, contact, id } = found.at(-1) as OptOut
      return { optOuts: found, nextPageToken: renderToken('opt-outs', { recordedAt, contact, id }) }
    },
  }
}

export function contactsOfLead({ personal }: Pick<StoredLead, 'personal'>): Contact[] {
  if (personal === null) return []
  const contacts = contactsOf(decodePersonal(personal).content)
  return contactFields.map((field) => ({ field, value: contacts[field] })).filter(({ value }) => value !== '')
}
