import type { Wording } from '../wording.ts'
import { withSession } from './connection.ts'

const insertMissing = `
  INSERT INTO wordings (sha256, text)
  SELECT w.sha256, w.text FROM json_to_recordset($1) AS w (sha256 text, text text) ON CONFLICT DO NOTHING`

/** Inserts the texts that are not recorded yet. Rejects with a `StoreError`. */
export async function recordWordings(url: string, wordings: readonly Wording[]): Promise<void> {
  if (wordings.length === 0) return
  const rows = wordings.map(({ sha256, text }) => ({ sha256, text }))
  await withSession(url, async (client) => {
    await client.query(insertMissing, [JSON.stringify(rows)])
  })
}
