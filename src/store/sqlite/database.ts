import { resolve } from 'node:path'
import { createListeners, type Database, type DatabaseOptions, type Wording } from '../database.ts'
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

/** How long to wait before erased texts are removed again, in milliseconds. */
const retryMs = 5_000

/**
 * Opens a SQLite file, creates it and its folder if needed, and runs the migrations. Rejects with a `StoreError`.
 * Several processes may open the same file; they write one at a time. Leads from another process are found by polling.
 */
export async function openSqlite(
  path: string,
  { wordings = [], onErasedTextHeld }: DatabaseOptions,
): Promise<Database> {
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

  let isClosed = false
  let isHeld = false
  let retry: NodeJS.Timeout | undefined
  /** Removes erased texts from the file: now, or as soon as the program that prevents it has ended. */
  async function removeErased(): Promise<void> {
    clearTimeout(retry)
    const wasHeld = isHeld
    // What fails is tried again, too.
    isHeld = await writer('truncate').then(
      ({ count }) => count === 1,
      () => true,
    )
    if (isClosed) return
    if (isHeld !== wasHeld) onErasedTextHeld?.(isHeld)
    if (isHeld) retry = setTimeout(removeErased, retryMs).unref()
  }
  // What another program has kept in the WAL of an earlier process.
  void removeErased()

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
      await removeErased()
      return rows
    },
    probe,
    onStored: stored.add,
    // Nobody else can take over a file.
    onReconnected: () => () => {},
    close: async () => {
      isClosed = true
      clearTimeout(retry)
      await reader('close')
      await writer('close')
    },
  }
}
