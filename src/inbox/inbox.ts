import { LeadError } from '../lead/error.ts'
import { createConsumers } from './consumers.ts'
import { contactsOf, parseContact } from './contact.ts'
import { beginning, type PageToken, parsePageToken, renderCursor, renderPageToken } from './cursor.ts'
import { createWatch } from './follow.ts'
import { type FilterInput, invalid, parseFilter, parseId, parsePageSize } from './input.ts'
import type { Stops } from './stops.ts'
import type { Erasure, InboxStore, LeadFilter, PositionRange, StoredLead } from './stored-lead.ts'

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
  stops: Stops
  /** Milliseconds since the epoch. */
  now: () => number
  heartbeatMs?: number
}

/** The maximum size of a page in bytes. By default, gRPC libraries accept messages of up to 4 MB. */
const pageMaxBytes = 2_000_000

/** Leads per read of a search by contact, and how long a call searches, in milliseconds. */
const scanRows = 1_000
const scanMs = 1_000

/** The pages of leads that are read at once, each of up to two megabytes. The other calls wait their turn. */
const pagesMax = 2

/**
 * The use cases of the inbox (docs/specification.md §8). They reject with a `LeadError`: `invalid_argument` for an
 * invalid field, `cursor_lost`, `failed_precondition`, `lead_not_found`, or `inbox_unavailable`.
 */
export function createInbox({ store, stops, now, heartbeatMs }: InboxOptions) {
  const consumers = createConsumers({ reader: store, now })
  const watch = createWatch({ reader: store, stops, consumers, heartbeatMs })

  async function cursorAt(position: number) {
    if (position === beginning.position) return beginning
    return { position, id: (await store.idAt(position)) ?? beginning.id }
  }

  async function readToken(token: string, filters: string): Promise<PageToken> {
    if (token === '') return { after: beginning, head: await cursorAt(await store.head()) }
    const read = parsePageToken(token, filters)
    if (read === undefined) {
      const hint = 'Send the token of the page before, unchanged, and with the filters of that page.'
      throw invalid('pageToken', 'is not a page token of this service for this call', hint)
    }
    const { after } = read
    if (after.position !== beginning.position && (await store.idAt(after.position)) !== after.id) {
      throw invalid(
        'pageToken',
        'refers to a lead that this database does not have, because it was restored',
        'Start again without it.',
      )
    }
    return read
  }

  /** At most `size` leads after a position, the last position examined, and whether more may follow. */
  async function readPage(after: number, size: number, filter: LeadFilter, contact: string | undefined) {
    const { from, to } = await store.rangeOf(filter)
    const range = { from: Math.max(after, from), to }
    const { found, examined, more } =
      contact === undefined
        ? { found: await store.readLeads(range, size + 1, filter), examined: after, more: false }
        : await scan(range, size, filter, contact)
    const leads = fitting(found.slice(0, size))
    if (leads.length === found.length) return { leads, examined, more }
    // What did not fit comes with the next page.
    return { leads, examined: leads.at(-1)?.position ?? after, more: true }
  }

  /** The leads of one person among those that can be read in a second. Erased leads never match. */
  async function scan({ from, to }: PositionRange, size: number, filter: LeadFilter, contact: string) {
    const endMs = performance.now() + scanMs
    const found: StoredLead[] = []
    let examined = from
    for (;;) {
      const leads = await store.readLeads({ from: examined, to }, scanRows, filter)
      found.push(...leads.filter((lead) => contactsOf(lead).includes(contact)))
      examined = leads.at(-1)?.position ?? examined
      const more = leads.length === scanRows
      if (!more || found.length > size || performance.now() >= endMs) return { found, examined, more }
    }
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
    const filter = parseFilter(input)
    const contact = input.contact === '' ? undefined : parseContact(input.contact)
    const filters = JSON.stringify({ ...filter, contact })
    const { after, head } = await readToken(input.pageToken, filters)
    const { leads, examined, more } = await readPage(after.position, size, filter, contact)
    const next = more ? { after: await cursorAt(examined), head } : undefined
    return {
      leads: await stops.show(leads),
      nextPageToken: next ? renderPageToken(next, filters) : '',
      cursor: renderCursor(head),
    }
  }

  async function find(id: string): Promise<StoredLead> {
    const lead = await store.find(parseId(id))
    if (lead !== undefined) return lead
    throw new LeadError('lead_not_found', 'There is no lead with this id.')
  }

  /**
   * Erases the personal data of a lead. With `stop`, also records that the person does not want to be contacted.
   * Returns when the lead was erased, which may have been earlier.
   */
  async function erase(id: string, { stop, caller }: { stop: boolean; caller: string | undefined }): Promise<string> {
    const at = new Date(now()).toISOString()
    const lead = await find(id)
    if (stop && lead.erasure !== null) return repeatErasure(lead, lead.erasure)
    const recorded = stop ? stops.ofLead(lead, at, caller) : []
    const erasure = { at, reason: 'request', caller: caller ?? null } as const
    const erasedAt = (await store.erase(lead.id, erasure, recorded)) ?? at
    if (recorded.length > 0) stops.announceSoon()
    return erasedAt
  }

  return {
    list,
    watch,
    async get(id: string): Promise<StoredLead> {
      const [lead] = await stops.show([await find(id)])
      return lead as StoredLead
    },
    erase,
    recordStop: stops.record,
    findStops: stops.find,
    consumers,
  }
}

/** The result of a repeated `EraseLead` with `stop`. After the erasure, nobody knows whose lead it was. */
function repeatErasure({ stoppedAt }: StoredLead, { at }: Erasure): string {
  if (stoppedAt !== null) return at
  throw new LeadError(
    'failed_precondition',
    'The lead has been erased before, so whose it was is unknown: record the stop with RecordStop.',
  )
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
