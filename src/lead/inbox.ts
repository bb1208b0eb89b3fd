import { type Place, parseCursor, parsePageToken, renderCursor, renderPageToken } from './cursor.ts'
import { LeadError } from './error.ts'
import { faultOf } from './rules.ts'
import type { LeadEraser, LeadFilter, LeadReader, StoredLead } from './stored-lead.ts'
import type { LeadKind } from './submission.ts'
import { createTail } from './tail.ts'

/** What a page is asked by. Times are whole milliseconds since the epoch. */
export interface ListInput {
  /** 1 to 500; 0: 50. */
  pageSize: number
  /** The `nextPageToken` of the page before; empty: the first page. */
  pageToken: string
  kind: LeadKind | undefined
  /** Received at this time or later. */
  receivedAfterMs: number | undefined
  /** Received before this time. */
  receivedBeforeMs: number | undefined
}

export interface LeadPage {
  leads: StoredLead[]
  /** Empty: this was the last page. */
  nextPageToken: string
}

/** A lead, and the cursor that goes on after it. */
export interface WatchedLead {
  lead: StoredLead
  cursor: string
}

/**
 * How the business's systems take the leads out. Rejects with a `LeadError`: `invalid_argument` with the field at fault,
 * `not_found`, or `inbox_unavailable`.
 */
export interface Inbox {
  /** A page of leads in the order in which they were committed. It may be shorter than asked for. */
  list(input: ListInput): Promise<LeadPage>
  get(id: string): Promise<StoredLead>
  /** Every lead after the cursor's, in order, then each new one as it is committed. An empty cursor: from the first. */
  watch(cursor: string, signal: AbortSignal): AsyncIterable<WatchedLead>
  /** Erases the personal data of a lead, for the caller of that name. Gives when that was done, which may have been before. */
  erase(id: string, caller?: string | undefined): Promise<string>
}

export interface InboxOptions {
  store: LeadReader & LeadEraser
  /** Milliseconds since the epoch. */
  now: () => number
}

const pageSize = { default: 50, max: 500 }

/** Where a page ends early: gRPC clients take 4 MB a message unless they are told otherwise. */
const pageMaxBytes = 2_000_000

/** The times that a `google.protobuf.Timestamp` can hold: the years 1 to 9999. */
const time = { minMs: Date.parse('0001-01-01T00:00:00Z'), maxMs: Date.parse('9999-12-31T23:59:59.999Z') }

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The use cases of the inbox (contract §8). */
export function createInbox({ store, now }: InboxOptions): Inbox {
  const tail = createTail({ reader: store })

  /** The position to go on after; 0 for an empty token. */
  async function resume(field: string, token: string, parse: (token: string) => Place | undefined): Promise<number> {
    if (token === '') return 0
    const place = parse(token)
    if (place === undefined) throw unknownToken(field)
    // A database that was restored from an older state gives positions a second time: going on from there loses leads.
    if ((await store.idAt(place.position)) !== place.id) throw lostPlace(field)
    return place.position
  }

  async function list(input: ListInput): Promise<LeadPage> {
    const size = readPageSize(input.pageSize)
    const filter = readFilter(input)
    const filters = JSON.stringify(filter)
    const after = await resume('pageToken', input.pageToken, (token) => parsePageToken(token, filters))
    const found = await store.readAfter(after, size + 1, filter)
    const leads = found.slice(0, countWithin(found.slice(0, size)))
    const last = leads.at(-1)
    const more = last !== undefined && leads.length < found.length
    return { leads, nextPageToken: more ? renderPageToken(last, filters) : '' }
  }

  async function* watch(cursor: string, signal: AbortSignal): AsyncIterable<WatchedLead> {
    const position = await resume('cursor', cursor, parseCursor)
    for await (const lead of tail.follow(position, signal)) yield { lead, cursor: renderCursor(lead) }
  }

  return {
    list,
    watch,
    async get(id) {
      return (await store.find(readId(id))) ?? noSuchLead()
    },
    async erase(id, caller) {
      const erasure = { at: new Date(now()).toISOString(), reason: 'request', caller: caller ?? null } as const
      return (await store.erase(readId(id), erasure)) ?? noSuchLead()
    },
  }
}

function unknownToken(field: string): LeadError {
  const hint = 'Send a value that this service has given, unchanged, and a page token with the filters of its page.'
  return refuse(field, 'is not one that this service gives for such a call', hint)
}

function lostPlace(field: string): LeadError {
  const hint = 'Begin again without it: leads that you have handled come again, with the ids that you know.'
  const detail = 'names no lead of this database: it was altered, or the database was restored from an older state'
  return refuse(field, detail, hint)
}

function refuse(field: string, detail: string, hint: string): LeadError {
  const fault = faultOf(field, 'invalid_value', { detail, hint })
  return new LeadError('invalid_argument', `${field} ${detail}.`, { faults: [fault] })
}

function noSuchLead(): never {
  throw new LeadError('lead_not_found', 'There is no lead with this id.')
}

function readId(id: string): string {
  const text = id.toLowerCase()
  if (uuid.test(text)) return text
  throw refuse('id', 'must be the id of a lead: a UUID', 'Send the id as a receipt or ListLeads has given it.')
}

function readPageSize(size: number): number {
  if (size === 0) return pageSize.default
  if (size >= 1 && size <= pageSize.max) return size
  throw refuse(
    'pageSize',
    `must be 1 to ${pageSize.max}`,
    `Ask for at most ${pageSize.max} leads, and for more by pages.`,
  )
}

function readFilter({ kind, receivedAfterMs, receivedBeforeMs }: ListInput): LeadFilter {
  const receivedAfter = readTime('receivedAfter', receivedAfterMs)
  const receivedBefore = readTime('receivedBefore', receivedBeforeMs)
  if (receivedAfter !== undefined && receivedBefore !== undefined && receivedBefore <= receivedAfter) {
    throw refuse('receivedBefore', 'must be later than receivedAfter', 'Send the later of the two times here.')
  }
  return { kind, receivedAfter, receivedBefore }
}

function readTime(field: string, ms: number | undefined): string | undefined {
  if (ms === undefined) return undefined
  if (ms >= time.minMs && ms <= time.maxMs) return new Date(ms).toISOString()
  throw refuse(field, 'must be a time in the years 1 to 9999', 'Send a valid google.protobuf.Timestamp.')
}

/** How many of the leads fit into one message; at least one, if there is one. */
function countWithin(leads: readonly StoredLead[]): number {
  let bytes = 0
  const count = leads.findIndex(({ personal, evidence }) => {
    bytes += Buffer.byteLength(personal ?? '') + evidence.length
    return bytes > pageMaxBytes
  })
  return count === -1 ? leads.length : Math.max(1, count)
}
