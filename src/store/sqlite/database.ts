import { resolve } from 'node:path'
import { createListeners, type Database, type Wording } from '../database.ts'
import { runMigrations } from '../migrate.ts'
import { recordWording } from '../queries.ts'
import { sqliteMigrations } from './migrations.ts'
import { createThread, type SqliteThread } from './thread.ts'

const writeProbe = `
  INSERT INTO write_probe (id, written_at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at`

async function prepare(writer: SqliteThread, wordings: readonly Wording[]) {
  const session = {
    exec: (text: string) => writer({ statement: { text } }),
    read: async (text: string) => (await writer({ statement: { text } })).rows,
  }
  // When several processes start at once, one migrates and the others wait.
  await runMigrations(session, sqliteMigrations, 'BEGIN IMMEDIATE')
  for (const wording of wordings) await writer({ statement: recordWording(wording) })
}

/**
 * Opens a SQLite file, creates it and its folder if needed, and runs the migrations. Rejects with a `StoreError`.
 * Several processes may open the same file; they write one at a time. Leads from another process are found by polling.
 */
export async function openSqlite(path: string, wordings: readonly Wording[]): Promise<Database> {
  if (path === '' || path.startsWith(':'))
    throw new TypeError('sqlite: needs the path of a file, because leads must be durable')
  const writer = createThread({ path: resolve(path), readOnly: false })
  // A separate thread, so that long reads never block writes.
  const reader = createThread({ path: resolve(path), readOnly: true })
  const stored = createListeners()
  const run: Database['run'] = async (statement) => (await writer({ statement })).count
  // Also proves that the file is writable.
  const probe = async () => void (await run({ text: writeProbe, values: [new Date().toISOString()] }))
  try {
    await prepare(writer, wordings)
    await probe()
  } catch (error) {
    await writer('close')
    throw error
  }

  return {
    insert: async (leads) => {
      const ids = (await writer({ insert: leads })).rows.map(({ id }) => id)
      if (ids.length > 0) stored.call()
      return ids
    },
    readDurable: async (statement) => (await writer({ statement })).rows,
    read: async (statement) => (await reader({ statement })).rows,
    run,
    change: async (statements) => {
      const { rows } = await writer({ change: statements })
      stored.call()
      return rows
    },
    probe,
    onStored: stored.add,
    // Nobody else can take over a file.
    onReconnected: () => () => {},
    close: async () => {
      await reader('close')
      await writer('close')
    },
  }
}
