import { type InboxRow, type InboxStore, toStoredLead } from '../inbox.ts'
import type { SqliteCalls, SqliteReaderCalls } from './messages.ts'
import { createThread, type SqliteThread } from './thread.ts'

/** The inbox of a SQLite file. */
export interface SqliteInbox {
  inbox: InboxStore
  /** To be called after each commit that stored leads. Those of another process are found by looking. */
  stored(): void
  close(): Promise<void>
}

/** Reads in a thread of its own, and erases in the one that writes. Every rejection is a `StoreError`. */
export function createSqliteInbox(path: string, writer: SqliteThread<SqliteCalls>): SqliteInbox {
  const reader = createThread<SqliteReaderCalls>({ path, role: 'reader' })
  const listeners = new Set<() => void>()

  return {
    inbox: {
      readAfter: async (position, limit, { kind = null, receivedAfter = null, receivedBefore = null } = {}) => {
        const rows = await reader.call('readAfter', position, limit, kind, receivedAfter, receivedBefore)
        return (JSON.parse(rows) as InboxRow[]).map(toStoredLead)
      },
      find: async (id) => {
        const row = await reader.call('find', id)
        return row === null ? undefined : toStoredLead(row)
      },
      idAt: async (position) => (await reader.call('idAt', position)) ?? undefined,
      onStored: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      erase: async (id, { at, reason }) => (await writer.call('erase', id, at, reason)) ?? undefined,
      eraseReceivedBefore: (receivedBefore, { at, reason }, limit) =>
        writer.call('eraseReceivedBefore', receivedBefore, at, reason, limit),
    },
    stored: () => {
      for (const listener of listeners) listener()
    },
    close: reader.close,
  }
}
