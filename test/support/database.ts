import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** What a store holds, read by nothing of the service's own code. */
export interface Contents {
  leads: string[]
  consents: string[]
}

/** Reads every id of a database, lead and consent record apart. */
export async function readContents(databaseUrl: string): Promise<Contents> {
  const queries = ['SELECT id FROM leads ORDER BY position', 'SELECT lead_id AS id FROM consent_records'] as const
  const ids = (rows: unknown[]) => (rows as { id: string }[]).map(({ id }) => id)
  if (databaseUrl.startsWith('sqlite:')) {
    const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true })
    try {
      const [leads, consents] = queries.map((query) => ids(database.prepare(query).all())) as [string[], string[]]
      return { leads, consents }
    } finally {
      database.close()
    }
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return { leads: ids((await client.query(queries[0])).rows), consents: ids((await client.query(queries[1])).rows) }
  } finally {
    await client.end()
  }
}
