import type { LeadFilter } from '../../lead/stored-lead.ts'
import type { EvidenceStore } from '../evidence.ts'
import { type FeedRow, type InboxStore, type LeadRow, toFeedPage, toScanPage, toStop, toStoredLead } from '../inbox.ts'
import { contactNeedle } from '../needle.ts'
import type { SqliteWriter } from './database.ts'
import { createSqliteEvidence } from './evidence.ts'
import type { SqliteReader } from './reader.ts'
import { createThread, type SqliteThread } from './thread.ts'

/** The inbox of a SQLite file. */
export interface SqliteInbox {
  inbox: InboxStore
  evidence: EvidenceStore
  /** Call this after each commit that stored leads. Leads from another process are found by polling. */
  stored(): void
  close(): Promise<void>
}

function filterValues({ kind, receivedAfter, receivedBefore }: LeadFilter = {}) {
  return [kind ?? null, receivedAfter ?? null, receivedBefore ?? null]
}

/** Reads on a separate thread and writes on `writer`. Every rejection is a `StoreError`. */
export function createSqliteInbox(path: string, writer: SqliteThread<SqliteWriter>): SqliteInbox {
  const reader = createThread<SqliteReader>({ path, role: 'reader', wordings: [] })
  const listeners = new Set<() => void>()

  function stored() {
    for (const listener of listeners) listener()
  }

  return {
    inbox: {
      readAfter: async (position, limit, filter) => {
        const rows = await reader.call('readAfter', position, limit, ...filterValues(filter))
        return (JSON.parse(rows) as LeadRow[]).map(toStoredLead)
      },
      readChanges: async (position, bounds, { kind = null } = {}) => {
        const { rows, head } = await reader.call('readFeed', position, bounds.rows, bounds.bytes, kind)
        return toFeedPage(JSON.parse(rows) as FeedRow[], position, head, bounds)
      },
      scanContact: async (position, limit, contact, filter) => {
        const needle = contactNeedle(contact)
        const { rows, last, count } = await reader.call('scan', position, limit, needle, ...filterValues(filter))
        return toScanPage(JSON.parse(rows) as LeadRow[], position, last, count, limit)
      },
      find: async (id) => {
        const row = await reader.call('find', id)
        return row === null ? undefined : toStoredLead(row)
      },
      idAt: async (position) => (await reader.call('idAt', position)) ?? undefined,
      head: () => reader.call('head'),
      positionAt: async (time) => (await reader.call('positionAt', time)) ?? undefined,
      onStored: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      onReconnected: () => () => {},
      erase: async (id, erasure, stops = []) => {
        const at = await writer.call('erase', id, erasure, stops)
        if (at === erasure.at) stored()
        return at ?? undefined
      },
      eraseReceivedBefore: async (receivedBefore, erasure, limit) => {
        const ids = await writer.call('eraseReceivedBefore', receivedBefore, erasure, limit)
        if (ids.length > 0) stored()
        return ids
      },
      recordStop: (stop) => writer.call('recordStop', stop),
      findStops: async (hashes) => (await reader.call('findStops', hashes)).map(toStop),
      unmarkedStops: async (limit) => (await reader.call('unmarkedStops', limit)).map(toStop),
      markStopped: async (ids, stop) => {
        if ((await writer.call('markStopped', ids, stop)) > 0) stored()
      },
      stopMarked: (stop) => writer.call('stopMarked', stop),
    },
    evidence: createSqliteEvidence(reader, writer),
    stored,
    close: reader.close,
  }
}
