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
    sealNext: async (make) => {
      const last = await reader.call('lastSegment')
      const head = await reader.call('head')
      const entries = async (after: number, rows: number) =>
        (JSON.parse(await reader.call('entries', after, head, rows)) as EntryRow[]).map(toEntry)
      const segment = await make({ last, head, entries })
      return segment !== undefined && (await writer.call('addSegment', segment)) ? segment : undefined
    },
    oldestUnsealed: () => reader.call('oldestUnsealed'),
    checkedEntries: async (after, rows) =>
      (JSON.parse(await reader.call('checkedEntries', after, rows)) as CheckedRow[]).map(toCheckedEntry),
    countEntries: (after, upTo) => reader.call('countEntries', after, upTo),
    countImpossible: () => reader.call('countImpossible'),
    segments: (after, rows) => reader.call('segments', after, rows),
    findSeals: (seals) => reader.call('findSeals', seals),
    segmentOf: (position) => reader.call('segmentOf', position),
    wordings: () => reader.call('wordings'),
  }
}
