import type { Erasure, FeedEntry, FeedPage, InboxStore, NewOptOut, OptOut, StoredLead } from '../inbox/stored-lead.ts'
import { LeadError } from '../lead/error.ts'
import { situations } from '../words/problems.ts'
import type { Database, Statement } from './database.ts'
import { isTransient } from './error.ts'
import * as sql from './queries.ts'

/** A lead as the queries return it. */
interface LeadRow extends Omit<StoredLead, 'erasure'> {
  erasedAt: string | null
  erasedReason: Erasure['reason']
  erasedBy: string | null
}

/** An entry of the feed, and the feed's last position. An empty page is one row whose `feedPosition` is null. */
interface FeedRow extends LeadRow {
  head: number
  feedPosition: number | null
  entryId: string
  entryAt: string
  what: FeedEntry['what']
}

function toStoredLead({ erasedAt: at, erasedReason: reason, erasedBy: caller, ...lead }: LeadRow): StoredLead {
  return { ...lead, erasure: at === null ? null : { at, reason, caller } }
}

/** Builds a feed page from the rows of its query. */
function toFeedPage(rows: readonly FeedRow[], after: number): FeedPage {
  const entries: FeedEntry[] = []
  for (const { head: _, feedPosition: position, entryId: id, entryAt: at, what, ...row } of rows)
    if (position !== null) entries.push({ position, id, at, what, lead: toStoredLead(row) })
  const head = Math.max(after, rows[0]?.head ?? 0)
  const examined = entries.at(-1)?.position ?? head
  return { entries, examined, more: examined < head }
}

/** An opt-out as the queries return it. Channel names are separated by commas. */
type OptOutRow = Omit<OptOut, 'channels'> & { channels: string }

function toOptOut(row: OptOutRow): OptOut {
  return { ...row, channels: row.channels === '' ? [] : row.channels.split(',') }
}

/** The statements that record an opt-out, show it in the feed, and end the person's duplicate windows. */
function recording({ id, contact, name, channels, saidAt, how, recordedAt, caller }: NewOptOut): Statement[] {
  return [
    { text: sql.insertOptOut, values: [id, contact.value, name, channels.join(','), saidAt, how, recordedAt, caller] },
    { text: sql.addOptOuts(contact.field), values: [contact.value, recordedAt, caller] },
    { text: sql.forgetContent(contact.field), values: [contact.value] },
  ]
}

/** The statements of an erasure. The last one returns the ids of the leads that it has erased. */
function erasing(ids: readonly string[], { at, reason, caller }: Erasure, optOuts: readonly NewOptOut[]): Statement[] {
  const optedOutAt = optOuts.length > 0 ? at : null
  return [
    { text: sql.addErasures, values: [ids, at, reason, caller, optedOutAt] },
    // The erased leads already show the opt-out, so they get no entry for it.
    ...optOuts.flatMap(recording),
    { text: sql.forgetClaims, values: [ids] },
    { text: sql.erasePersonal, values: [ids] },
  ]
}

/** `Retry-After` in seconds: about as long as a failover takes. */
const retryAfterSeconds = 5

/** Maps transient errors to `inbox_unavailable`, which tells the caller to retry. The cause has no personal data. */
async function orUnavailable<T>(work: Promise<T>, detail?: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!isTransient(error)) throw error
    throw new LeadError('inbox_unavailable', { detail, retryAfterSeconds, cause: error })
  }
}

/** Leads that retention looks at in one read. */
const ageRows = 2_000

/** The inbox of a database. Rejects with a `LeadError` `inbox_unavailable` when the database is unavailable. */
export function createInboxStore(database: Database): InboxStore {
  const read: Database['read'] = (statement) => orUnavailable(database.read(statement))
  const write: Database['change'] = (statements) => orUnavailable(database.change(statements), situations.not_confirmed)

  async function head(): Promise<number> {
    return (await read<{ head: number }>({ text: sql.readHead }))[0]?.head ?? 0
  }

  async function findLeads(ids: readonly string[]): Promise<StoredLead[]> {
    return (await read<LeadRow>({ text: sql.findLeads, values: [ids] })).map(toStoredLead)
  }

  /** All leads up to this position are erased. Retention does not look at them again while this process runs. */
  let erasedUpTo = 0
  // A standby that was promoted may not have the last erasures.
  database.onReconnected(() => {
    erasedUpTo = 0
  })

  /** The ids of at most `limit` leads that were received before a time and are not erased. */
  async function findDue(receivedBefore: string, limit: number): Promise<string[]> {
    const due: string[] = []
    let from = erasedUpTo
    for (;;) {
      type Age = { position: number; id: string; receivedAt: string; erased: number }
      const rows = await read<Age>({ text: sql.readAges, values: [from, ageRows] })
      const firstKept = rows.findIndex(({ erased }) => erased === 0)
      const erasedRows = firstKept === -1 ? rows : rows.slice(0, firstKept)
      if (from === erasedUpTo) erasedUpTo = erasedRows.at(-1)?.position ?? erasedUpTo
      const old = rows.filter(({ receivedAt }) => receivedAt < receivedBefore)
      due.push(...old.flatMap(({ id, erased }) => (erased === 0 ? id : [])))
      if (due.length >= limit || old.length === 0) return due.slice(0, limit)
      from = rows.at(-1)?.position ?? from
    }
  }

  return {
    readLeads: async (after, limit, filter = {}) =>
      (await read<LeadRow>(sql.readLeads(after, limit, filter))).map(toStoredLead),
    readFeed: async (position, bounds, { kind } = {}) => {
      const values = [position, bounds.rows, bounds.bytes, ...(kind === undefined ? [] : [kind])]
      return toFeedPage(await read<FeedRow>({ text: sql.readFeed(kind !== undefined), values }), position)
    },
    find: async (id) => (await findLeads([id]))[0],
    idAt: async (position) => (await read<{ id: string }>({ text: sql.findId, values: [position] }))[0]?.id,
    head,
    positionAt: async (time) => (await read<{ position: number }>(sql.findStamped(time)))[0]?.position,
    onStored: database.onStored,
    onReconnected: database.onReconnected,

    findOverdue: findDue,
    erase: async (ids, erasure, optOuts = []) =>
      ids.length === 0 ? [] : (await write<{ id: string }>(erasing(ids, erasure, optOuts))).map(({ id }) => id),

    recordOptOut: async (optOut) => void (await write(recording(optOut))),
    findOptOuts: async (contacts) =>
      (await read<OptOutRow>({ text: sql.findOptOuts, values: [contacts.map(({ value }) => value)] })).map(toOptOut),
    listOptOuts: async (after, limit) => {
      const values = [after?.recordedAt ?? '1970-01-01T00:00:00.000Z', after?.contact ?? '', limit]
      return (await read<OptOutRow>({ text: sql.listOptOuts, values })).map(toOptOut)
    },
    findLeadIds: async ({ field, value }) =>
      (await read<{ id: string }>({ text: sql.findLeadIds(field), values: [value] })).map(({ id }) => id),
  }
}
