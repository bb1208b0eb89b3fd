import type { NewLead, Receipt, StoreOutcome } from '../lead/submission.ts'
import { StoreError } from './error.ts'

/**
 * A row of `recent_submissions`. It claims its Idempotency-Key until `keyUntil` and its content until `contentUntil`;
 * the unique indexes of the table give each claim to one row only. Times as in a receipt.
 */
export interface Claim {
  receipt: Receipt
  fingerprint: string
  /** Null: the content is not claimed, or not any more. */
  contentUntil: string | null
  /** Null: no key is claimed, or not any more. */
  keyHash: string | null
  keyUntil: string | null
}

/** What the rules below need of a database. Each is atomic for itself. */
export interface ClaimTable {
  /** Stores each lead whose claims are all free, durably, and gives the ids of those; the others are left out. */
  insert(leads: readonly NewLead[]): Promise<ReadonlySet<string>>
  /** The rows that hold the id, the key or the content of any of the leads. */
  find(leads: readonly NewLead[]): Promise<Claim[]>
  /** Takes the keys and contents of these leads from rows whose claim had ended when the lead was received. */
  release(leads: readonly NewLead[]): Promise<void>
}

const created: StoreOutcome = { kind: 'created' }

/** Whether a claim still holds at the time at which the lead was received. */
function holds(until: string | null, lead: NewLead): boolean {
  return until !== null && until > lead.receivedAt
}

/**
 * Decides what becomes of a lead that could not be inserted, by the rows found in its way: contract §7, the key before
 * the content. Undefined: nothing that holds is in its way any more.
 */
export function judge(lead: NewLead, claims: readonly Claim[]): StoreOutcome | undefined {
  // An attempt whose answer was lost has stored it.
  if (claims.some(({ receipt }) => receipt.id === lead.id)) return created

  const byKey = lead.keyHash === null ? undefined : claims.find(({ keyHash }) => keyHash === lead.keyHash)
  if (byKey !== undefined && holds(byKey.keyUntil, lead)) {
    const same = byKey.fingerprint === lead.fingerprint
    return same ? { kind: 'replayed', receipt: byKey.receipt } : { kind: 'key_reused' }
  }

  if (lead.contentUntil === null) return undefined
  const byContent = claims.find(
    ({ fingerprint, contentUntil }) => fingerprint === lead.fingerprint && holds(contentUntil, lead),
  )
  return byContent && { kind: 'duplicate', receipt: byContent.receipt }
}

/** Ended claims are released once; more rounds than that are needed only while others race for the very same claims. */
const roundsMax = 4

/**
 * Stores the leads that are new and finds the first receipts of the others. Safe to repeat with the same leads, also
 * when it is not known whether the first attempt succeeded. Outcomes are in the order of the leads.
 */
export async function storeLeads(table: ClaimTable, leads: readonly NewLead[]): Promise<StoreOutcome[]> {
  const outcomes = new Map<NewLead, StoreOutcome>()
  let open = leads
  for (let round = 1; round <= roundsMax; round++) {
    // Only what the database says it has stored is acknowledged.
    const inserted = await table.insert(open)
    for (const lead of open) if (inserted.has(lead.id)) outcomes.set(lead, created)
    if (outcomes.size === leads.length) break

    const losers = open.filter((lead) => !inserted.has(lead.id))
    const claims = await table.find(losers)
    for (const lead of losers) {
      const outcome = judge(lead, claims)
      if (outcome !== undefined) outcomes.set(lead, outcome)
    }
    open = losers.filter((lead) => !outcomes.has(lead))
    if (open.length === 0) break
    await table.release(open)
  }
  return leads.map((lead) => {
    const outcome = outcomes.get(lead)
    if (outcome === undefined) throw new StoreError('contended', true, 'the claims of a lead keep changing')
    return outcome
  })
}
