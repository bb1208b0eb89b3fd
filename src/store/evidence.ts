import type { SealStore, Segment } from '../evidence/seal.ts'
import type { EvidenceReader } from '../evidence/verify.ts'
import type { Database, Statement, Wording } from './database.ts'
import {
  countRows,
  findSeals,
  insertSegment,
  readChecked,
  readEntries,
  readHead,
  readLastSegment,
  readOldest,
  readSegmentOf,
  readSegments,
  readWordings,
} from './queries.ts'
import { type CheckedRow, type EntryRow, toCheckedEntry, toEntry } from './rows.ts'

/** What the store offers for sealing evidence and for checking it. */
export interface EvidenceStore extends SealStore, EvidenceReader {}

/** The evidence of a database. Rejects with a `StoreError`. */
export function createEvidenceStore({ read, run }: Database): EvidenceStore {
  async function first<Row extends object>(statement: Statement): Promise<Row | undefined> {
    return (await read<Row>(statement))[0]
  }

  return {
    lastSegment: () => first<Segment>({ text: readLastSegment }),
    head: async () => (await first<{ head: number }>({ text: readHead }))?.head ?? 0,
    entries: async (after, upTo, rows) =>
      (await read<EntryRow>({ text: readEntries, values: [after, upTo, rows] })).map(toEntry),
    addSegment: async ({ segment, first: from, last, entries, keyId, seal, sealedAt }) =>
      (await run({ text: insertSegment, values: [segment, from, last, entries, keyId, seal, sealedAt] })) > 0,
    oldestUnsealed: async () => (await first<{ at: string | null }>({ text: readOldest }))?.at ?? undefined,
    checkedEntries: async (after, upTo, rows) =>
      (await read<CheckedRow>({ text: readChecked, values: [after, upTo, rows] })).map(toCheckedEntry),
    countRows: async (position, segment) =>
      (await first<{ entries: number; segments: number }>({ text: countRows, values: [position, segment] })) ?? {
        entries: 0,
        segments: 0,
      },
    segments: (after, rows) => read<Segment>({ text: readSegments, values: [after, rows] }),
    findSeals: async (seals) =>
      (await read<{ seal: string }>({ text: findSeals, values: [seals] })).map(({ seal }) => seal),
    segmentOf: (position) => first<Segment>({ text: readSegmentOf, values: [position] }),
    // In SQLite, an administrator can store bytes in place of a text.
    wordings: async () =>
      (await read<Wording>({ text: readWordings })).map(({ sha256, text }) => ({
        sha256: `${sha256}`,
        text: `${text}`,
      })),
  }
}
