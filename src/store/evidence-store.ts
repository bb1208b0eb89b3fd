import type { CheckedEntry, EvidenceStore, SealEntry, Segment } from '../evidence/seal.ts'
import type { Database, Statement, Wording } from './database.ts'
import * as sql from './queries.ts'

/** The evidence of a database. Rejects with a `StoreError`. */
export function createEvidenceStore({ read, run }: Database): EvidenceStore {
  async function first<Row extends object>(statement: Statement): Promise<Row | undefined> {
    return (await read<Row>(statement))[0]
  }

  return {
    lastSegment: () => first<Segment>({ text: sql.readLastSegment }),
    head: async () => (await first<{ head: number }>({ text: sql.readHead }))?.head ?? 0,
    entries: (after, upTo, rows) => read<SealEntry>({ text: sql.readEntries, values: [after, upTo, rows] }),
    addSegment: async ({ segment, first: from, last, entries, keyId, seal, sealedAt }) =>
      (await run({ text: sql.insertSegment, values: [segment, from, last, entries, keyId, seal, sealedAt] })) > 0,
    oldestUnsealed: async () => (await first<{ at: string | null }>({ text: sql.readOldest }))?.at ?? undefined,
    checkedEntries: (after, upTo, rows) => read<CheckedEntry>({ text: sql.readChecked, values: [after, upTo, rows] }),
    countRows: async (position, segment) =>
      (await first<{ entries: number; segments: number }>({ text: sql.countRows, values: [position, segment] })) ?? {
        entries: 0,
        segments: 0,
      },
    segments: (after, rows) => read<Segment>({ text: sql.readSegments, values: [after, rows] }),
    findSeals: async (seals) =>
      (await read<{ seal: string }>({ text: sql.findSeals, values: [seals] })).map(({ seal }) => seal),
    segmentOf: (position) => first<Segment>({ text: sql.readSegmentOf, values: [position] }),
    wordings: () => read<Required<Wording> & { since: string }>({ text: sql.readWordings }),
  }
}
