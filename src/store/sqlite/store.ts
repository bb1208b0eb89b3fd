import { resolve } from 'node:path'
import type { Backend } from '../backend.ts'
import type { Wording } from '../wording.ts'
import type { SqliteWriter } from './database.ts'
import { createSqliteInbox } from './inbox.ts'
import { createThread } from './thread.ts'

/**
 * Opens a SQLite file, creates it and its folder if needed, and runs the migrations. Rejects with a `StoreError`.
 * Several processes may open the same file; they write one at a time.
 */
export async function openSqlite(path: string, wordings: readonly Wording[]): Promise<Backend> {
  if (path === '' || path.startsWith(':'))
    throw new TypeError('sqlite: needs the path of a file, because leads must be durable')
  const writer = createThread<SqliteWriter>({ path: resolve(path), role: 'writer', wordings })
  const { call } = writer
  // Any call opens the file. A probe also proves that it is writable.
  const probe = () => call('probe', new Date().toISOString())
  try {
    await probe()
  } catch (error) {
    await writer.close()
    throw error
  }
  const { inbox, evidence, stored, close: closeInbox } = createSqliteInbox(resolve(path), writer)

  return {
    insert: async (leads) => {
      const ids = await call('insert', leads)
      if (ids.length > 0) stored()
      return ids
    },
    find: (leads) => {
      const ids = leads.map(({ id }) => id)
      const keys = leads.flatMap(({ keyHash, contentHash }) =>
        keyHash === null ? contentHash : [keyHash, contentHash],
      )
      return call('find', ids, keys)
    },
    probe,
    // SQLite runs in this process, so its clock is this clock.
    prune: (nowIso, limit) => call('prune', nowIso, limit),
    inbox,
    evidence,
    close: async () => {
      await closeInbox()
      await writer.close()
    },
  }
}
