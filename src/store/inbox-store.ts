import { unavailable } from '../inbox/parse-fields.ts'
import type { Erasure, FeedEntry, InboxStore, NewOptOut, OptOut, StoredLead } from '../inbox/stored-lead.ts'
import { details } from '../words/problems.ts'
import { type Database, isTransient, type Statement } from './database.ts'
import * as sql from './queries.ts'

interface LeadRow extends Omit<StoredLead, 'erasure' | 'optedOutOfAll' | 'optedOutChannels'> {
  erasedAt: string | null
  erasedReason: Erasure['reason']
  erasedBy: string | null
  /** Null if the person has no opt-out. */
  optedOutOf: string | null
}

interface FeedRow extends LeadRow {
  head: number
  feedPosition: number | null
  entryId: string
  entryAt: string
  what: FeedEntry['what']
}

/** The channel names are separated by commas. */
type OptOutRow = Omit<OptOut, 'channels'> & { channels: string }

function toStoredLead({ erasedAt, erasedReason, erasedBy, optedOutOf, ...lead }: LeadRow): StoredLead {
  const named = new Set(optedOutOf?.split(','))
  const isOfAll = named.has('all') || named.has('all before')
  return {
    ...lead,
    optedOutOfAll: named.has('all'),
    optedOutChannels: isOfAll ? [] : [...named].sort(),
    erasure: erasedAt === null ? null : { at: erasedAt, reason: erasedReason, caller: erasedBy },
  }
}

function toFeedEntry({ head: _, feedPosition, entryId: id, entryAt: at, what, ...row }: FeedRow): FeedEntry {
  return { position: Number(feedPosition), id, at, what, lead: toStoredLead(row) }
}

const toOptOut = (row: OptOutRow): OptOut => ({ ...row, channels: row.channels.split(',').filter(Boolean) })

function insertOptOut({ id, contact, name, channels, saidAt, how, recordedAt, caller }: NewOptOut): Statement {
  const values = [id, contact.value, name, channels.join(','), saidAt, how, recordedAt, caller]
  return { text: sql.insertOptOut, values }
}

/** Adds an opt-out to the feed, and ends the person's duplicate windows. */
function announceOptOut({ contact, channels, recordedAt, caller }: NewOptOut): Statement[] {
  const reason = channels.join(',') || 'all channels'
  return [
    { text: sql.addOptOuts(contact.field), values: [contact.value, recordedAt, caller, reason] },
    { text: sql.forgetContent(contact.field), values: [contact.value] },
  ]
}

/** Erases leads and records opt-outs. The last statement returns the ids of the erased leads. */
function erasureStatements(ids: readonly string[], erasure: Erasure, optOuts: readonly NewOptOut[]): Statement[] {
  const { at, reason, caller } = erasure
  return [
    ...optOuts.map(insertOptOut),
    { text: sql.addErasures, values: [ids, at, reason, caller] },
    // The erased leads already show the opt-out, so they get no entry for it.
    ...optOuts.flatMap(announceOptOut),
    { text: sql.forgetClaims, values: [ids] },
    { text: sql.erasePersonal, values: [ids] },
  ]
}

const beforeAll = { recordedAt: '1970-01-01T00:00:00.000Z', contact: '', id: '00000000-0000-0000-0000-000000000000' }

/** Turns a transient error into `inbox_unavailable`, which tells the caller to retry. */
function rethrow(error: unknown, detail?: string): never {
  throw isTransient(error) ? unavailable(detail, error) : error
}

export function createInboxStore(database: Database): InboxStore {
  const read: Database['read'] = (statement) => database.read<never>(statement).catch((error) => rethrow(error))
  const write: Database['change'] = (statements) =>
    database.change<never>(statements).catch((error) => rethrow(error, details.not_confirmed))

  return {
    readLeads: async (after, limit, filter = {}) =>
      (await read<LeadRow>(sql.readLeads(after, limit, filter))).map(toStoredLead),
    readFeed: async (after, { rows, bytes }, kind) => {
      const values = [after, rows, bytes, ...(kind === undefined ? [] : [kind])]
      const found = await read<FeedRow>({ text: sql.readFeed(kind !== undefined), values })
      const entries = found.filter(({ feedPosition }) => feedPosition !== null).map(toFeedEntry)
      const head = Math.max(after, found[0]?.head ?? 0)
      const examined = entries.at(-1)?.position ?? head
      return { entries, examined, hasMore: examined < head }
    },
    head: async () => (await read<{ head: number }>({ text: sql.readHead }))[0]?.head ?? 0,
    onStored: database.onStored,
    onReconnected: database.onReconnected,
    find: async (id) => (await read<LeadRow>({ text: sql.findLead, values: [id] })).map(toStoredLead)[0],
    idAt: async (position) => (await read<{ id: string }>({ text: sql.findId, values: [position] }))[0]?.id,
    positionBefore: async (time) => (await read<{ position: number }>(sql.findBefore(time)))[0]?.position ?? 0,
    readAges: (after, limit) => read({ text: sql.readAges, values: [after, limit] }),

    erase: async (ids, erasure, optOuts = []) =>
      (await write<{ id: string }>(erasureStatements(ids, erasure, optOuts))).map(({ id }) => id),
    recordOptOut: async (optOut) => void (await write([insertOptOut(optOut), ...announceOptOut(optOut)])),
    findOptOuts: async (contacts) =>
      (await read<OptOutRow>({ text: sql.findOptOuts, values: [contacts.map(({ value }) => value)] })).map(toOptOut),
    listOptOuts: async ({ recordedAt, contact, id } = beforeAll, limit) =>
      (await read<OptOutRow>({ text: sql.listOptOuts, values: [recordedAt, contact, id, limit] })).map(toOptOut),
    findLeadIds: async ({ field, value }) =>
      (await read<{ id: string }>({ text: sql.findLeadIds(field), values: [value] })).map(({ id }) => id),
  }
}
