import { LeadError } from '../lead/error.ts'
import { inboxFaults } from '../words/inbox.ts'
import { situations } from '../words/problems.ts'
import { createConsumers } from './consumers.ts'
import { parseContact } from './contact.ts'
import {
  beginning,
  type PageToken,
  parseOptOutToken,
  parsePageToken,
  renderCursor,
  renderOptOutToken,
  renderPageToken,
} from './cursor.ts'
import { createWatch } from './follow.ts'
import type { OptOuts } from './opt-outs.ts'
import { type FilterInput, invalid, parseFilter, parseId, parsePageSize } from './parse-fields.ts'
import type { Erasure, InboxStore, LeadFilter, OptOut, StoredLead } from './stored-lead.ts'

/** Parameters of a page of leads. */
export interface ListInput extends FilterInput {
  /** 1 to 500. 0 means 50. */
  pageSize: number
  /** The previous page's `nextPageToken`. Empty: the first page. */
  pageToken: string
  /** An e-mail address or phone number. Empty: all leads. */
  contact: string
}

export interface LeadPage {
  leads: readonly StoredLead[]
  /** Empty: this is the last page. */
  nextPageToken: string
  /** The head of the feed before the first page was read. */
  cursor: string
}

/** How the business's systems read leads. */
export type Inbox = ReturnType<typeof createInbox>

export interface InboxOptions {
  store: InboxStore
  optOuts: OptOuts
  /** Milliseconds since the epoch. */
  now: () => number
  heartbeatMs?: number
}

/** The maximum size of a page in bytes. By default, gRPC libraries accept messages of up to 4 MB. */
const pageMaxBytes = 2_000_000

/** The rows of a page of the do-not-contact list. */
const optOutPageRows = 1_000

/** The pages of leads that are read at once, each of up to two megabytes. The other calls wait their turn. */
const pagesMax = 2

/**
 * The use cases of the inbox (docs/specification.md §8). They reject with a `LeadError`: `invalid_argument` for an
 * invalid field, `cursor_lost`, `failed_precondition`, `lead_not_found`, or `inbox_unavailable`.
 */
export function createInbox({ store, optOuts, now, heartbeatMs }: InboxOptions) {
  const consumers = createConsumers(store, now)
  const watch = createWatch({ reader: store, consumers, heartbeatMs })

  async function cursorAt(position: number) {
    if (position === beginning.position) return beginning
    return { position, id: (await store.idAt(position)) ?? beginning.id }
  }

  async function readToken(token: string, filters: string): Promise<PageToken> {
    if (token === '') return { after: beginning, head: await cursorAt(await store.head()) }
    const read = parsePageToken(token, filters)
    if (read && (await cursorAt(read.after.position)).id === read.after.id) return read
    throw invalid('pageToken', inboxFaults.page_token)
  }

  /** At most `size` leads after a position, and whether more follow. */
  async function readPage(after: number, size: number, filter: LeadFilter) {
    const found = await store.readLeads(after, size + 1, filter)
    const leads = fitting(found.slice(0, size))
    // What did not fit comes with the next page.
    return { leads, last: leads.length < found.length ? leads.at(-1) : undefined }
  }

  let running = 0
  const waiting: (() => void)[] = []

  /** A page of leads in commit order. It may be shorter than requested. Rejects if aborted before its turn. */
  async function list(input: ListInput, signal: AbortSignal): Promise<LeadPage> {
    if (running < pagesMax) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      signal.throwIfAborted()
      return await readList(input)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }

  async function readList(input: ListInput): Promise<LeadPage> {
    const size = parsePageSize(input.pageSize)
    const contact = input.contact === '' ? undefined : parseContact(input.contact)
    const filter = { ...parseFilter(input), contact }
    const filters = JSON.stringify(filter)
    const { after, head } = await readToken(input.pageToken, filters)
    const { leads, last } = await readPage(after.position, size, filter)
    return {
      leads,
      nextPageToken: last ? renderPageToken({ after: last, head }, filters) : '',
      cursor: renderCursor(head),
    }
  }

  async function get(id: string): Promise<StoredLead> {
    const lead = await store.find(parseId(id))
    if (lead !== undefined) return lead
    throw new LeadError('lead_not_found')
  }

  /** A page of the do-not-contact list, the oldest first. */
  async function listOptOuts(pageToken: string): Promise<{ optOuts: readonly OptOut[]; nextPageToken: string }> {
    const after = pageToken === '' ? undefined : parseOptOutToken(pageToken)
    const optOuts = await store.listOptOuts(after, optOutPageRows)
    const last = optOuts.length === optOutPageRows ? optOuts.at(-1) : undefined
    return { optOuts, nextPageToken: last ? renderOptOutToken(last) : '' }
  }

  /**
   * Erases the personal data of a lead. With `optOut`, also records that the person does not want to be contacted.
   * Returns when the lead was erased, which may have been earlier.
   */
  async function erase(
    id: string,
    { optOut, caller }: { optOut: boolean; caller: string | undefined },
  ): Promise<string> {
    const at = new Date(now()).toISOString()
    const lead = await get(id)
    if (lead.erasure !== null) return optOut ? repeatErasure(lead, lead.erasure) : lead.erasure.at
    const recorded = optOut ? await optOuts.ofLead(lead, at, 'erasure', caller ?? null) : []
    const [erased] = await store.erase([lead.id], { at, reason: 'request', caller: caller ?? null }, recorded)
    // Another call may have erased it meanwhile.
    return erased === undefined ? ((await get(id)).erasure?.at ?? at) : at
  }

  return {
    list,
    watch,
    get,
    erase,
    recordOptOut: optOuts.record,
    findOptOuts: optOuts.find,
    listOptOuts,
    consumers,
  }
}

/** Of an `EraseLead` with `optOut` after an erasure: whose lead it was is no longer known. An older opt-out does not count. */
function repeatErasure({ optedOutAt }: StoredLead, { at }: Erasure): string {
  if (optedOutAt === at) return at
  throw new LeadError('failed_precondition', { detail: situations.erased_before })
}

/** The leads that fit into one message, and at least one if there is one. */
function fitting(leads: readonly StoredLead[]): readonly StoredLead[] {
  let bytes = 0
  const count = leads.findIndex((lead) => {
    bytes += sizeOf(lead)
    return bytes > pageMaxBytes
  })
  return count === -1 ? leads : leads.slice(0, Math.max(1, count))
}

/** The size of a lead's texts in bytes, plus a kilobyte for everything else. */
function sizeOf({ personal, evidence }: StoredLead): number {
  return Buffer.byteLength(personal ?? '') + Buffer.byteLength(evidence) + 1_024
}
