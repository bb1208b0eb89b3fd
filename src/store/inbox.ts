import type { LeadEraser, LeadFilter, LeadReader, Stop, StopStore } from '../inbox/stored-lead.ts'
import { LeadError } from '../lead/error.ts'
import type { Database } from './database.ts'
import { isTransient } from './error.ts'
import {
  addErasures,
  addStopped,
  erasePersonal,
  findErasedAt,
  findId,
  findLead,
  findStamped,
  findStops,
  findUnmarked,
  forgetClaims,
  insertStop,
  insertStopOfLead,
  noteMarked,
  readAges,
  readFeed,
  readHead,
  readLeads,
  readStopKeys,
  readTimes,
} from './queries.ts'
import { type FeedRow, type LeadRow, type StopRow, toFeedPage, toStop, toStoredLead, valuesOf } from './rows.ts'

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
async function orUnavailable<T>(work: Promise<T>, detail: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!isTransient(error)) throw error
    throw new LeadError('inbox_unavailable', detail, { retryAfterSeconds, cause: error })
  }
}

/** Leads that retention looks at in one read. */
const ageRows = 2_000

/**
 * How far times may be out of order, in milliseconds: leads are numbered when they are stored and stamped when they
 * arrive, on replicas whose clocks differ.
 */
const disorderMs = 600_000

/** Leads that one step of a search looks at, so that a single wrong stamp does not mislead it. */
const sampleRows = 10

/** The inbox of a database. Rejects with a `LeadError` `inbox_unavailable` when the database is unavailable. */
export function createInboxStore(database: Database): InboxStore {
  const read: Database['read'] = (statement) => orUnavailable(database.read(statement), notRead)
  const run: Database['run'] = (statement) => orUnavailable(database.run(statement), notConfirmed)
  const change: Database['change'] = (statements) => orUnavailable(database.change(statements), notConfirmed)

  async function head(): Promise<number> {
    return (await read<{ head: number }>({ text: readHead }))[0]?.head ?? 0
  }

  /** Searches by halves for a position after which `isLate` holds for each sample of times, and before which it does not. */
  async function search(isLate: (timesMs: number[]) => boolean): Promise<number> {
    let low = 0
    let high = await head()
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const times = await read<{ received_at: string }>({ text: readTimes, values: [middle, sampleRows] })
      if (isLate(times.map(({ received_at }) => Date.parse(received_at)))) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Every lead that was received at `time` or later comes after this position. */
  const positionBefore = (time: string) =>
    search((times) => times.length === 0 || Math.max(...times) >= Date.parse(time) - disorderMs)

  /** Every lead that was received before `time` is at this position or before. */
  const positionAfter = (time: string) => search((times) => Math.min(...times) >= Date.parse(time) + disorderMs)

  async function readAfter(position: number, limit: number, filter: LeadFilter = {}) {
    const { receivedAfter, receivedBefore } = filter
    const from = receivedAfter === undefined ? 0 : await positionBefore(receivedAfter)
    const to = receivedBefore === undefined ? Number.MAX_SAFE_INTEGER : await positionAfter(receivedBefore)
    const { text, values } = readLeads(filter)
    const rows = await read<LeadRow>({ text, values: [Math.max(position, from), to, limit, ...values] })
    return rows.map(toStoredLead)
  }

  /** All leads up to this position are erased. Retention does not look at them again while this process runs. */
  let erasedUpTo = 0

  /** The ids of at most `limit` leads that were received before a time and are not erased. */
  async function findDue(receivedBefore: string, limit: number): Promise<string[]> {
    const due: string[] = []
    let from = erasedUpTo
    for (;;) {
      type Age = { position: number; id: string; received_at: string; erased: number }
      const rows = await read<Age>({ text: readAges, values: [from, ageRows] })
      const firstKept = rows.findIndex(({ erased }) => erased === 0)
      const erased = firstKept === -1 ? rows : rows.slice(0, firstKept)
      if (from === erasedUpTo) erasedUpTo = erased.at(-1)?.position ?? erasedUpTo
      const old = rows.filter(({ received_at }) => received_at < receivedBefore)
      due.push(...old.flatMap(({ id, erased }) => (erased === 0 ? id : [])))
      if (due.length >= limit || old.length === 0) return due.slice(0, limit)
      from = rows.at(-1)?.position ?? from
    }
  }

  return {
    readAfter,
    readChanges: async (position, bounds, { kind } = {}) => {
      const values = [position, bounds.rows, bounds.bytes, ...(kind === undefined ? [] : [kind])]
      return toFeedPage(await read<FeedRow>({ text: readFeed(kind !== undefined), values }), position, bounds)
    },
    find: async (id) => (await read<LeadRow>({ text: findLead, values: [id] })).map(toStoredLead)[0],
    idAt: async (position) => (await read<{ id: string }>({ text: findId, values: [position] }))[0]?.id,
    head,
    positionAt: async (time) => {
      const values = [await positionBefore(time), time]
      return (await read<{ position: number }>({ text: findStamped, values }))[0]?.position
    },
    onStored: database.onStored,
    onReconnected: database.onReconnected,

    erase: async (id, { at, reason, caller }, stops = []) => {
      const rows = await change<{ at: string }>([
        { text: addErasures, values: [[id], at, reason, caller, stops.length > 0 ? 1 : 0] },
        { text: erasePersonal, values: [[id]] },
        { text: forgetClaims, values: [[id]] },
        ...stops.map((stop) => ({ text: insertStopOfLead, values: [...valuesOf(stop), id] })),
        { text: findErasedAt, values: [id] },
      ])
      return rows[0]?.at
    },
    eraseReceivedBefore: async (receivedBefore, { at, reason, caller }, limit) => {
      const due = await findDue(receivedBefore, limit)
      if (due.length === 0) return []
      const rows = await change<{ id: string }>([
        { text: addErasures, values: [due, at, reason, caller, 0] },
        { text: forgetClaims, values: [due] },
        { text: erasePersonal, values: [due] },
      ])
      // Without those that another replica has erased in the meantime.
      const erased = new Set(rows.map(({ id }) => id))
      return due.filter((id) => erased.has(id))
    },

    recordStop: async (stop: Stop) => void (await run({ text: insertStop, values: valuesOf(stop) })),
    findStops: async (hashes) => (await read<StopRow>({ text: findStops, values: [hashes] })).map(toStop),
    stopKeyIds: async () => (await read<{ key_id: string }>({ text: readStopKeys })).map(({ key_id }) => key_id),
    unmarkedStops: async (limit) => (await read<StopRow>({ text: findUnmarked, values: [limit] })).map(toStop),
    markStopped: async (ids, { recordedAt, caller }) => {
      await change([{ text: addStopped, values: [ids, recordedAt, caller] }])
    },
    stopMarked: async ({ contactHash, recordedAt }) => {
      await run({ text: noteMarked, values: [contactHash, recordedAt] })
    },
  }
}
