import type { NewLead } from '../../lead/submission.ts'
import { StoreError } from '../error.ts'
import { textArray, timeArray, uuidArray } from './binary-array.ts'
import type { PostgresConnection } from './connection.ts'

/**
 * One call is one transaction, so a batch costs one round trip. Places in the feed are drawn after the function has taken
 * the lock that orders batches, and the lock is released after the commit has become visible: so places become visible in
 * their order across all replicas, and a reader that goes on after the highest place it has seen never skips one.
 */
const insert = { name: 'insert_leads', text: 'SELECT store_leads($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS id' }

/** A row of `claims` to be. */
interface NewClaim {
  key: string
  endsAt: string
  lead: NewLead
}

function claimsOf(leads: readonly NewLead[]): NewClaim[] {
  const claims: NewClaim[] = []
  for (const lead of leads) {
    if (lead.contentUntil !== null) claims.push({ key: lead.contentHash, endsAt: lead.contentUntil, lead })
    if (lead.keyHash !== null && lead.keyUntil !== null) {
      claims.push({ key: lead.keyHash, endsAt: lead.keyUntil, lead })
    }
  }
  return claims
}

/** The parameters of `store_leads`. */
function encode(leads: readonly NewLead[]): Buffer[] {
  const claims = claimsOf(leads)
  return [
    uuidArray(leads, ({ id }) => id),
    textArray(leads, ({ kind }) => kind),
    timeArray(leads, ({ receivedAt }) => receivedAt),
    textArray(leads, ({ personal }) => personal),
    textArray(leads, ({ evidence }) => evidence),
    uuidArray(claims, ({ key }) => key),
    uuidArray(claims, ({ lead }) => lead.id),
    timeArray(claims, ({ lead }) => lead.receivedAt),
    timeArray(claims, ({ endsAt }) => endsAt),
    uuidArray(claims, ({ lead }) => lead.contentHash),
  ]
}

/** One of the leads is stored: an earlier attempt succeeded, and its answer was lost. */
function isStoredAlready(error: unknown): boolean {
  return error instanceof StoreError && error.message === 'postgres: 23505 leads leads_id_key'
}

/** Stores the leads that nobody's claim is in the way of, and gives their ids (`ClaimTable`). */
export async function insertLeads(writer: PostgresConnection, leads: readonly NewLead[]): Promise<ReadonlySet<string>> {
  try {
    const { rows } = await writer.query<{ id: string }>({ ...insert, values: encode(leads) })
    return new Set(rows.map(({ id }) => id))
  } catch (error) {
    if (isStoredAlready(error)) return new Set()
    throw error
  }
}
