import type { Client } from 'pg'
import type { Wording } from '../wording.ts'

const insertMissing = `
  INSERT INTO wordings (sha256, text)
  SELECT w.sha256, w.text FROM json_to_recordset($1) AS w (sha256 text, text text) ON CONFLICT DO NOTHING`

/** Inserts the texts that are not recorded yet. */
export async function recordWordings(client: Client, wordings: readonly Wording[]): Promise<void> {
  if (wordings.length === 0) return
  const rows = wordings.map(({ sha256, text }) => ({ sha256, text }))
  await client.query(insertMissing, [JSON.stringify(rows)])
}
