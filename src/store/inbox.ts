import { LeadError } from '../lead/error.ts'
import type {
  ErasureReason,
  FeedEntry,
  FeedPage,
  LeadEraser,
  LeadReader,
  PageBounds,
  ScanPage,
  Stop,
  StopStore,
  StoredLead,
} from '../lead/stored-lead.ts'
import type { LeadKind } from '../lead/submission.ts'
import { isTransient } from './error.ts'

/** What the store offers for reading leads, erasing them and recording stops. */
export interface InboxStore extends LeadReader, LeadEraser, StopStore {}

/** `Retry-After` in seconds: about as long as a failover takes. */
const retryAfterSeconds = 5

const notRead = 'The database cannot be read right now.'
const notConfirmed =
  'The database has not confirmed the change, which may have been made. Making it again changes nothing more.'

/**
 * Maps transient errors to `inbox_unavailable`, which tells the caller to retry. The cause contains no personal data.
 */
async function orUnavailable<T>(work: Promise<T>, detail: string = notRead): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!isTransient(error)) throw error
    throw new LeadError('inbox_unavailable', detail, {
      retryAfterSeconds,
      cause: error,
    })
  }
}

/** Wraps the inbox of a backend, whose rejections are all `StoreError`s. */
export function createInboxStore(backend: InboxStore): InboxStore {
  return {
    readAfter: (...args) => orUnavailable(backend.readAfter(...args)),
    readChanges: (...args) => orUnavailable(backend.readChanges(...args)),
    scanContact: (...args) => orUnavailable(backend.scanContact(...args)),
    find: (id) => orUnavailable(backend.find(id)),
    idAt: (position) => orUnavailable(backend.idAt(position)),
    head: () => orUnavailable(backend.head()),
    positionAt: (time) => orUnavailable(backend.positionAt(time)),
    onStored: backend.onStored,
    onReconnected: backend.onReconnected,
    erase: (...args) => orUnavailable(backend.erase(...args), notConfirmed),
    eraseReceivedBefore: (...args) => orUnavailable(backend.eraseReceivedBefore(...args)),
    recordStop: (stop) => orUnavailable(backend.recordStop(stop), notConfirmed),
    findStops: (hashes) => orUnavailable(backend.findStops(hashes)),
    unmarkedStops: (limit) => orUnavailable(backend.unmarkedStops(limit)),
    markStopped: (...args) => orUnavailable(backend.markStopped(...args)),
    stopMarked: (stop) => orUnavailable(backend.stopMarked(stop)),
  }
}

/** A lead as both databases return it. Times have the format of a receipt. */
export interface LeadRow {
  position: number
  id: string
  kind: string
  received_at: string
  personal: string | null
  evidence: string
  erased_at: string | null
  erased_reason: string | null
  erased_by: string | null
  stopped_at: string | null
}

/** A feed entry as both databases return it. */
export interface FeedRow extends LeadRow {
  feed_position: number
  entry_id: string
  entry_at: string
  what: string
}

export function toStoredLead(row: LeadRow): StoredLead {
  return {
    position: row.position,
    id: row.id,
    kind: row.kind as LeadKind,
    receivedAt: row.received_at,
    personal: row.personal,
    evidence: row.evidence,
    erasure:
      row.erased_at === null
        ? null
        : { at: row.erased_at, reason: row.erased_reason as ErasureReason, caller: row.erased_by },
    stoppedAt: row.stopped_at,
  }
}

/** Builds a feed page from rows that the query already limited to `bounds`. `head` is the last position of the feed. */
export function toFeedPage(rows: readonly FeedRow[], after: number, head: number, bounds: PageBounds): FeedPage {
  const entries = rows.map(
    (row): FeedEntry => ({
      position: row.feed_position,
      id: row.entry_id,
      at: row.entry_at,
      what: row.what as FeedEntry['what'],
      lead: toStoredLead(row),
    }),
  )
  const bytes = rows.reduce((sum, { personal, evidence }) => sum + sizeOf(personal) + sizeOf(evidence), 0)
  const full = rows.length >= bounds.rows || bytes >= bounds.bytes
  const last = entries.at(-1)?.position ?? after
  return { entries, examined: full ? last : Math.max(after, last, head), more: full }
}

function sizeOf(text: string | null): number {
  return text === null ? 0 : Buffer.byteLength(text)
}

/** Builds the result of a scan that examined `count` leads, the last one at position `last`. */
export function toScanPage(rows: readonly LeadRow[], after: number, last: number | null, count: number, limit: number) {
  return { leads: rows.map(toStoredLead), examined: last ?? after, more: count >= limit } satisfies ScanPage
}

/** A stop as both databases return it. */
export interface StopRow {
  contact_hash: string
  /** Channel names, separated by commas. */
  channels: string
  said_at: string
  how: string
  recorded_at: string
  caller: string | null
}

export function toStop(row: StopRow): Stop {
  return {
    contactHash: row.contact_hash,
    channels: row.channels === '' ? [] : row.channels.split(','),
    saidAt: row.said_at,
    how: row.how,
    recordedAt: row.recorded_at,
    caller: row.caller,
  }
}

/** Encodes stops for both databases: a JSON array of rows. */
export function encodeStops(stops: readonly Stop[]): string {
  return JSON.stringify(
    stops.map(
      (stop): StopRow => ({
        contact_hash: stop.contactHash,
        channels: stop.channels.join(','),
        said_at: stop.saidAt,
        how: stop.how,
        recorded_at: stop.recordedAt,
        caller: stop.caller,
      }),
    ),
  )
}
