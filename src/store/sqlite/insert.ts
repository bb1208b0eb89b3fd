import type { DatabaseSync } from 'node:sqlite'
import type { NewLead } from '../../lead/submission.ts'

const isClaimed = 'SELECT 1 FROM claims WHERE key = ? AND ends_at > ?'

/** Takes over a claim that had expired when the new lead was received. */
const claim = `
  INSERT INTO claims (key, lead_id, received_at, ends_at, content) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET lead_id = excluded.lead_id, received_at = excluded.received_at,
    ends_at = excluded.ends_at, content = excluded.content
  WHERE claims.ends_at <= excluded.received_at`

const isStored = 'SELECT 1 FROM leads WHERE id = ?'

const insertLead =
  'INSERT INTO leads (id, kind, received_at, personal, evidence, phone, email) VALUES (?, ?, ?, ?, ?, ?, ?)'

/** Prepares the statements that store a lead with its claims. One statement for a whole batch takes a third longer. */
export function prepareInsert(database: DatabaseSync): (lead: NewLead) => boolean {
  const claimed = database.prepare(isClaimed)
  const claims = database.prepare(claim)
  const stored = database.prepare(isStored)
  const leads = database.prepare(insertLead)

  /** Returns false, and writes nothing, when the lead is stored, or its key or content claimed. */
  return ({ id, kind, receivedAt, personal, evidence, phone, email, contentHash, contentUntil, keyHash, keyUntil }) => {
    if (keyHash !== null && claimed.get(keyHash, receivedAt) !== undefined) return false
    if (stored.get(id) !== undefined) return false
    if (contentUntil !== null) {
      const { changes } = claims.run(contentHash, id, receivedAt, contentUntil, contentHash)
      if (changes === 0) return false
    }
    leads.run(id, kind, receivedAt, personal, evidence, phone, email)
    if (keyHash !== null) claims.run(keyHash, id, receivedAt, keyUntil, contentHash)
    return true
  }
}
