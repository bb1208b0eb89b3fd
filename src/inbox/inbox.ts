import { LeadError } from '../lead/error.ts'
import { inboxFaults } from '../words/inbox.ts'
import { createConsumers } from './consumers.ts'
import { beginning, type Cursor, cursorAt, parseToken, renderToken } from './cursor.ts'
import { createWatch } from './follow.ts'
import { invalid, parseContact, parseId } from './parse-fields.ts'
import type { InboxStore, LeadFilter, StoredLead } from './stored-lead.ts'

/** As in the proto file, an empty text or a size of 0 means that none was given. */
export interface ListInput extends Omit<LeadFilter, 'contact'> {
  pageSize: number
  pageToken: string
  contact: string
}

export type Inbox = ReturnType<typeof createInbox>

/** The maximum size of a page in bytes. gRPC libraries accept messages of up to 4 MB by default. */
const pageMaxBytes = 2_000_000

/** The use cases of the inbox (docs/specification.md §8). They reject with a `LeadError`. `now` is in milliseconds. */
export function createInbox(store: InboxStore, now: () => number, heartbeatMs?: number) {
  const consumers = createConsumers(store, now)

  /** The lead after which a page begins, and the head of the feed before the first page was read. */
  async function readToken(token: string, purpose: string): Promise<{ after: Cursor; head: Cursor }> {
    if (token === '') return { after: beginning, head: await cursorAt(store, await store.head()) }
    const read = parseToken<{ after: Cursor; head: Cursor }>(purpose, token)
    if (read && (await store.idAt(read.after.position)) === read.after.id) return read
    throw invalid('pageToken', inboxFaults.page_token)
  }

  async function get(id: string): Promise<StoredLead> {
    const lead = await store.find(parseId(id))
    if (lead !== undefined) return lead
    throw new LeadError('lead_not_found')
  }

  return {
    /** A page of leads in commit order, perhaps shorter than requested. The last one has no `nextPageToken`. */
    async list({ kind, receivedAfter, receivedBefore, ...input }: ListInput) {
      const size = input.pageSize || 50
      if (size < 1 || size > 500) throw invalid('pageSize', inboxFaults.page_size)
      const contact = input.contact === '' ? undefined : parseContact(input.contact)
      if (receivedAfter !== undefined && receivedBefore !== undefined && receivedBefore <= receivedAfter)
        throw invalid('receivedBefore', inboxFaults.received_before)
      const filter = { kind, receivedAfter, receivedBefore, contact }
      const purpose = `leads ${JSON.stringify(filter)}`
      const { after, head } = await readToken(input.pageToken, purpose)
      const found = await store.readLeads(after.position, size + 1, filter)
      const leads = takePage(found.slice(0, size))
      const { position, id } = leads.at(-1) ?? beginning
      const isLast = leads.length === found.length
      const nextPageToken = isLast ? '' : renderToken(purpose, { after: { position, id }, head })
      return { leads, nextPageToken, cursor: renderToken('cursor', head) }
    },

    watch: createWatch(store, consumers, heartbeatMs),
    get,
    consumers,
  }
}

/** The first leads, as many as fit into one message, but at least one. */
function takePage(leads: readonly StoredLead[]): readonly StoredLead[] {
  let bytes = 0
  const count = leads.findIndex(({ personal, evidence }) => {
    // A kilobyte for the other members.
    bytes += Buffer.byteLength(personal ?? '') + Buffer.byteLength(evidence) + 1_024
    return bytes > pageMaxBytes
  })
  return count === -1 ? leads : leads.slice(0, Math.max(1, count))
}
