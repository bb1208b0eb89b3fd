import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { queryPostgres } from './backends.ts'

const query = 'SELECT id, personal, evidence FROM leads ORDER BY position'

type Row = { id: string; personal: string | null; evidence: string }

/** What a store contains, read without the service's code. */
type Contents = ReturnType<typeof contentsOf>

/** Summarizes rows. A lead has its consent record if its evidence contains the hash of its personal part. */
function contentsOf(rows: readonly Row[]) {
  const isProven = ({ personal, evidence }: Row) =>
    personal === null || JSON.parse(evidence).personalSha256 === hash('sha256', personal)
  const contents = rows.map(({ personal }) => personal && JSON.stringify(JSON.parse(personal).content))
  return {
    leads: rows.map(({ id }) => id),
    /** Leads with matching evidence. */
    consents: rows.filter(isProven).map(({ id }) => id),
    /** How many leads have distinct content. */
    distinct: new Set(contents.filter((content) => content !== null)).size,
  }
}

/** Reads every lead of a database. */
export async function readContents(databaseUrl: string): Promise<Contents> {
  if (databaseUrl.startsWith('sqlite:')) {
    using database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true })
    return contentsOf(database.prepare(query).all() as unknown as Row[])
  }
  return contentsOf(await queryPostgres<Row>(databaseUrl, query))
}

/** Checks that each acknowledged lead is stored once, and that every stored lead has its consent record. */
export function assertStored(acknowledged: readonly string[], { leads, consents }: Contents): void {
  const stored = new Set(leads)
  assert.equal(stored.size, leads.length)
  assert.equal(new Set(acknowledged).size, acknowledged.length, 'an id was returned twice')
  const lost = acknowledged.filter((id) => !stored.has(id))
  assert.deepEqual(lost, [], 'acknowledged, but not stored')
  assert.deepEqual(new Set(consents), stored, 'every lead has its consent record')
}
