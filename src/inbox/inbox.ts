import { LeadError } from '../lead/error.ts'
import { inboxFaults } from '../words/inbox.ts'
import { situations } from '../words/problems.ts'
import { createConsumers } from './consumers.ts'
import { parseContact } from './contact.ts'
import { beginning, type Cursor, cursorAt, parseToken, renderToken } from './cursor.ts'
import { createWatch } from './follow.ts'
import { createOptOuts } from './opt-outs.ts'
import { type FilterInput, invalid, parseFilter, parseId, parsePageSize } from './parse-fields.ts'
import type { InboxStore, OptOut, StoredLead } from './stored-lead.ts'

export interface ListInput extends FilterInput {
  /** 0 for the default. */
  pageSize: number
  /** Empty for the first page. */
  pageToken: string
  /** Empty for all leads. */
  contact: string
}

export type Inbox = ReturnType<typeof createInbox>

/** The maximum size of a page in bytes. gRPC libraries accept messages of up to 4 MB by default. */
const pageMaxBytes = 2_000_000

const optOutPageRows = 1_000

/**
 * The use cases of the inbox (docs/specification.md §8), which reject with a `LeadError`. `now` is in milliseconds
 * since the epoch.
 */
export function createInbox(store: InboxStore, now: () => number, heartbeatMs?: number) {
  const optOuts = createOptOuts(store, now)
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
    async list(input: ListInput) {
      const size = parsePageSize(input.pageSize)
      const contact = input.contact === '' ? undefined : parseContact(input.contact)
      const filter = { ...parseFilter(input), contact }
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

    /**
     * Erases the personal data of a lead. With `optOut`, also records that the person does not want to be contacted.
     * Returns when the lead was erased, which may have been earlier.
     */
    async erase(
      id: string,
      { optOut, caller = null }: { optOut: boolean; caller: string | null | undefined },
    ): Promise<string> {
      const at = new Date(now()).toISOString()
      const lead = await get(id)
      if (lead.erasure === null) {
        const recorded = optOut ? await optOuts.ofLead(lead, at, 'erasure', caller) : []
        const [erased] = await store.erase([lead.id], { at, reason: 'request', caller }, recorded)
        // Another call may have erased it meanwhile.
        return erased === undefined ? ((await get(id)).erasure?.at ?? at) : at
      }
      // It is no longer known whose lead it was. An older opt-out does not count.
      if (!optOut || lead.optedOutAt === lead.erasure.at) return lead.erasure.at
      throw new LeadError('failed_precondition', { detail: situations.erased_before })
    },

    recordOptOut: optOuts.record,
    findOptOuts: optOuts.find,

    /** A page of the do-not-contact list, the oldest first. */
    async listOptOuts(pageToken: string): Promise<{ optOuts: readonly OptOut[]; nextPageToken: string }> {
      const after = parseToken<Pick<OptOut, 'recordedAt' | 'contact' | 'id'>>('opt-outs', pageToken)
      if (pageToken !== '' && after === undefined) throw invalid('pageToken', inboxFaults.page_token)
      const found = await store.listOptOuts(after, optOutPageRows)
      if (found.length < optOutPageRows) return { optOuts: found, nextPageToken: '' }
      const { recordedAt, contact, id } = found.at(-1) as OptOut
      return { optOuts: found, nextPageToken: renderToken('opt-outs', { recordedAt, contact, id }) }
    },

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
