import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { queryPostgres } from './backends.ts'

const query = 'SELECT id, personal, evidence FROM leads ORDER BY position'

type Contents = Awaited<ReturnType<typeof readContents>>
type Row = { id: string; personal: string | null; evidence: string }

/** What a store contains, read without the service's code. Evidence with the hash of its personal part proves it. */
export async function readContents(databaseUrl: string) {
  let rows: Row[]
  if (databaseUrl.startsWith('sqlite:')) {
    using database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true })
    rows = database.prepare(query).all() as Row[]
  } else rows = await queryPostgres<Row>(databaseUrl, query)
  const isProven = ({ personal, evidence }: Row) =>
    personal === null || JSON.parse(evidence).personalSha256 === hash('sha256', personal)
  const contents = rows
    .flatMap(({ personal }) => personal ?? [])
    .map((text) => JSON.stringify(JSON.parse(text).content))
  return {
    leads: rows.map(({ id }) => id),
    proven: rows.filter(isProven).map(({ id }) => id),
    /** How many leads have distinct content. */
    distinct: new Set(contents).size,
  }
}

/** Checks that each acknowledged lead is stored once, and that every stored lead has its evidence. */
export function assertStored(acknowledged: readonly string[], { leads, proven }: Contents): void {
  const stored = new Set(leads)
  assert.equal(stored.size, leads.length)
  assert.equal(new Set(acknowledged).size, acknowledged.length, 'an id was returned twice')
  const lost = acknowledged.filter((id) => !stored.has(id))
  assert.deepEqual(lost, [], 'acknowledged, but not stored')
  assert.deepEqual(new Set(proven), stored, 'every lead has its evidence')
}
