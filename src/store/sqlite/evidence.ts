import { type CheckedRow, type EntryRow, type EvidenceStore, toCheckedEntry, toEntry } from '../evidence.ts'
import type { SqliteWriter } from './database.ts'
import type { SqliteReader } from './reader.ts'
import type { SqliteThread } from './thread.ts'

/** Seals on the writer thread and reads on the reader thread. Every rejection is a `StoreError`. */
export function createSqliteEvidence(
  reader: SqliteThread<SqliteReader>,
  writer: SqliteThread<SqliteWriter>,
): EvidenceStore {
  return {
    lastSegment: () => reader.call('lastSegment'),
    head: () => reader.call('head'),
    entries: async (after, upTo, rows) =>
      (JSON.parse(await reader.call('entries', after, upTo, rows)) as EntryRow[]).map(toEntry),
    addSegment: (segment) => writer.call('addSegment', segment),
    oldestUnsealed: () => reader.call('oldestUnsealed'),
    checkedEntries: async (after, upTo, rows) =>
      (JSON.parse(await reader.call('checkedEntries', after, upTo, rows)) as CheckedRow[]).map(toCheckedEntry),
    countRows: (position, segment) => reader.call('countRows', position, segment),
    segments: (after, rows) => reader.call('segments', after, rows),
    findSeals: (seals) => reader.call('findSeals', seals),
    segmentOf: (position) => reader.call('segmentOf', position),
    wordings: () => reader.call('wordings'),
  }
}
