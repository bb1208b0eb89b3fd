import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The messages about a lead: the lead itself, that the person refused some channels, that it was erased. */
export type Kind = 'lead' | `opt-out${string}` | 'erasure'

/** The cursor of the feed, and which messages were sent. Contains ids, but no personal data. */
export interface State {
  cursor(): string
  /** Whether no message has ever been read. */
  isNew(): boolean
  isDone(id: string, kind: Kind): boolean
  setDone(id: string, kinds: readonly Kind[]): void
  /** Keeps the later time, in milliseconds since the epoch. Returns the time known before, or 0. */
  keepOptOut(id: string, atMs: number): number
  moveTo(cursor: string): void
  /** Remembers since when a lead cannot be sent, for status.ts. Times are in milliseconds since the epoch. */
  setFailing(sinceMs: number, receivedMs: number): void
  close(): void
}

/** Opens the file, and creates it if necessary. Each change is on disk when its call returns. */
export function openState(file: string): State {
  mkdirSync(dirname(file), { recursive: true })
  const database = new DatabaseSync(file)
  database.exec(`
    CREATE TABLE IF NOT EXISTS done (id TEXT, kind TEXT, PRIMARY KEY (id, kind)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS opt_outs (id TEXT PRIMARY KEY, at_ms INTEGER) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS status (only INTEGER PRIMARY KEY CHECK (only = 1), heard_ms INTEGER, failing_ms INTEGER, unsent_ms INTEGER);
    CREATE TABLE IF NOT EXISTS feed (only INTEGER PRIMARY KEY CHECK (only = 1), cursor TEXT);
  `)
  const read = database.prepare('SELECT cursor FROM feed')
  const write = database.prepare(
    'INSERT INTO feed VALUES (1, ?) ON CONFLICT (only) DO UPDATE SET cursor = excluded.cursor',
  )
  const find = database.prepare('SELECT 1 FROM done WHERE id = ? AND kind = ?')
  const add = database.prepare('INSERT OR IGNORE INTO done SELECT ?, value FROM json_each(?)')
  const findOptOut = database.prepare('SELECT at_ms FROM opt_outs WHERE id = ?')
  const addOptOut = database.prepare(
    'INSERT INTO opt_outs VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET at_ms = max(at_ms, excluded.at_ms)',
  )
  const setHeard = database.prepare('INSERT OR REPLACE INTO status VALUES (1, ?, NULL, NULL)')
  const setFailing = database.prepare(`
    INSERT INTO status VALUES (1, NULL, ?, ?) ON CONFLICT (only) DO UPDATE SET
      failing_ms = coalesce(failing_ms, excluded.failing_ms), unsent_ms = excluded.unsent_ms`)
  return {
    cursor: () => String(read.get()?.cursor ?? ''),
    isNew: () => read.get() === undefined,
    isDone: (id, kind) => find.get(id, kind) !== undefined,
    setDone: (id, kinds) => void add.run(id, JSON.stringify(kinds)),
    keepOptOut(id, atMs) {
      const knownMs = Number(findOptOut.get(id)?.at_ms ?? 0)
      if (atMs > knownMs) addOptOut.run(id, atMs)
      return knownMs
    },
    moveTo(cursor) {
      write.run(cursor)
      setHeard.run(Date.now())
    },
    setFailing: (sinceMs, receivedMs) => void setFailing.run(sinceMs, receivedMs),
    close: () => database.close(),
  }
}
