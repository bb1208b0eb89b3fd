import { resolve } from 'node:path'
import type { LeadKind } from '../../lead/submission.ts'
import type { Backend } from '../backend.ts'
import type { Claim } from '../claims.ts'
import { encodeRows } from '../row.ts'
import { createSqliteInbox } from './inbox.ts'
import type { SqliteCalls, SqliteClaimRow } from './messages.ts'
import { createThread } from './thread.ts'

function toClaim(row: SqliteClaimRow): Claim {
  return {
    receipt: { id: row.lead_id, formType: row.form_type as LeadKind, receivedAt: row.received_at },
    fingerprint: row.fingerprint,
    contentUntil: row.content_until,
    keyHash: row.key_hash,
    keyUntil: row.key_until,
  }
}

/**
 * Opens a SQLite file, made with its folder when it is not there, and brings its schema up to date. Rejects with a
 * `StoreError`. Several processes may open the same file; one at a time writes.
 */
export async function openSqlite(path: string): Promise<Backend> {
  if (path === '' || path.startsWith(':')) throw new TypeError('sqlite: needs the path of a file, for leads must last')
  const writer = createThread<SqliteCalls>({ path: resolve(path), role: 'writer' })
  const { call } = writer
  // Any call opens the file first; this one shows that it can be written.
  const probe = async () => void (await call('probe', new Date().toISOString()))
  try {
    await probe()
  } catch (error) {
    await writer.close()
    throw error
  }
  const { inbox, stored, close: closeInbox } = createSqliteInbox(resolve(path), writer)

  return {
    insert: async (leads) => {
      const ids = await call('insert', encodeRows(leads))
      if (ids.length > 0) stored()
      return new Set(ids)
    },
    find: async (leads) => {
      const ids = leads.map(({ id }) => id)
      const keys = leads.flatMap(({ keyHash }) => keyHash ?? [])
      const fingerprints = leads.map(({ fingerprint }) => fingerprint)
      const rows = await call('find', JSON.stringify(ids), JSON.stringify(keys), JSON.stringify(fingerprints))
      return rows.map(toClaim)
    },
    release: async (leads) => void (await call('release', encodeRows(leads))),
    probe,
    prune: (nowIso, limit) => call('prune', nowIso, limit),
    inbox,
    close: async () => {
      await closeInbox()
      await writer.close()
    },
  }
}
