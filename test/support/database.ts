import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** What a store holds, read by nothing of the service's own code. */
export interface Contents {
  leads: string[]
  consents: string[]
  /** How many leads differ in what they say. */
  distinct: number
}

const queries = [
  'SELECT id FROM leads ORDER BY position',
  'SELECT lead_id AS id FROM consent_records',
  'SELECT count(DISTINCT content) AS id FROM leads',
]

/** Reads every id of a database, lead and consent record apart. */
export async function readContents(databaseUrl: string): Promise<Contents> {
  const ids = (rows: unknown[]) => (rows as { id: string }[]).map(({ id }) => id)
  if (databaseUrl.startsWith('sqlite:')) {
    const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true })
    try {
      const [leads = [], consents = [], [distinct = '0'] = []] = queries.map((query) =>
        ids(database.prepare(query).all()),
      )
      return { leads, consents, distinct: Number(distinct) }
    } finally {
      database.close()
    }
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const results = []
    for (const query of queries) results.push(ids((await client.query(query)).rows))
    const [leads = [], consents = [], [distinct = '0'] = []] = results
    return { leads, consents, distinct: Number(distinct) }
  } finally {
    await client.end()
  }
}
