import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** What a store contains, read without the service's code. */
export interface Contents {
  leads: string[]
  /** Leads with matching evidence. */
  consents: string[]
  /** How many leads have distinct content. */
  distinct: number
}

const query = 'SELECT id, personal, evidence FROM leads ORDER BY position'

interface Row {
  id: string
  personal: string | null
  evidence: string
}

/** Summarizes rows. A lead has its consent record if its evidence contains the hash of its personal part. */
function contentsOf(rows: readonly Row[]): Contents {
  const proven = rows.filter(({ personal, evidence }) => {
    const sha256 = createHash('sha256')
      .update(personal ?? '')
      .digest('hex')
    return personal === null || JSON.parse(evidence).personalSha256 === sha256
  })
  const contents = rows.map(({ personal }) => personal && JSON.stringify(JSON.parse(personal).content))
  return {
    leads: rows.map(({ id }) => id),
    consents: proven.map(({ id }) => id),
    distinct: new Set(contents.filter((content) => content !== null)).size,
  }
}

/** Reads every lead of a database. */
export async function readContents(databaseUrl: string): Promise<Contents> {
  if (databaseUrl.startsWith('sqlite:')) {
    const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true })
    try {
      return contentsOf(database.prepare(query).all() as unknown as Row[])
    } finally {
      database.close()
    }
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return contentsOf((await client.query<Row>(query)).rows)
  } finally {
    await client.end()
  }
}

/** Checks that each acknowledged lead is stored once, and that every stored lead has its consent record. */
export function assertStored(acknowledged: readonly string[], { leads, consents }: Contents): void {
  const stored = new Set(leads)
  assert.equal(stored.size, leads.length)
  assert.equal(new Set(acknowledged).size, acknowledged.length, 'an id was returned twice')
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
    'acknowledged, but not stored',
  )
  assert.deepEqual(new Set(consents), stored, 'every lead has its consent record')
}
