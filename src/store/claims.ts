import type { NewLead, Receipt, StoreOutcome } from '../lead/submission.ts'
import { StoreError } from './error.ts'

/**
 * A row of `claims`: the lead that holds an Idempotency-Key or a content, and until when. Times as in a receipt, hashes
 * of 32 hexadecimal digits.
 */
export interface Claim {
  /** The hash of the key, or of the content, that is claimed. */
  key: string
  leadId: string
  receivedAt: string
  endsAt: string
  /** The hash of the lead's content: tells a replay from a reused key. */
  content: string
}

/** What stands in the way of leads that could not be stored. */
export interface Obstacles {
  /** Those of the leads that are stored: by an earlier attempt whose answer was lost. */
  stored: ReadonlySet<string>
  /** The claims on the keys and contents of the leads. */
  claims: readonly Claim[]
}

/** What the rules below need of a database. Each is atomic for itself. */
export interface ClaimTable {
  /**
   * Stores each lead whose key and content nobody claims at the time of its receipt, together with its own claims,
   * durably, and gives the ids of those. A lead that meets a claim leaves nothing behind. No two of the leads have a key
   * or a content in common.
   */
  insert(leads: readonly NewLead[]): Promise<ReadonlySet<string>>
  find(leads: readonly NewLead[]): Promise<Obstacles>
}

const created: StoreOutcome = { kind: 'created' }

/**
 * Decides what becomes of a lead that could not be stored, by what stands in its way: the key before the content
 * (docs/specification.md §7). Undefined: nothing does any more.
 */
export function judge(lead: NewLead, { stored, claims }: Obstacles): StoreOutcome | undefined {
  if (stored.has(lead.id)) return created

  const holding = (key: string) => claims.find((claim) => claim.key === key && claim.endsAt > lead.receivedAt)
  // The content of the first lead is that of this one, and so is the kind.
  const receiptOf = (claim: Claim): Receipt => ({
    id: claim.leadId,
    formType: lead.kind,
    receivedAt: claim.receivedAt,
  })

  const byKey = lead.keyHash === null ? undefined : holding(lead.keyHash)
  if (byKey !== undefined) {
    const same = byKey.content === lead.contentHash
    return same ? { kind: 'replayed', receipt: receiptOf(byKey) } : { kind: 'key_reused' }
  }
  const byContent = lead.contentUntil === null ? undefined : holding(lead.contentHash)
  return byContent && { kind: 'duplicate', receipt: receiptOf(byContent) }
}

/** The leads that share no key and no content with one before them. The others are judged once these are stored. */
function withoutCopies(leads: readonly NewLead[]): NewLead[] {
  const taken = new Set<string>()
  return leads.filter(({ keyHash, contentHash, contentUntil }) => {
    if (taken.has(contentHash) || (keyHash !== null && taken.has(keyHash))) return false
    if (contentUntil !== null) taken.add(contentHash)
    if (keyHash !== null) taken.add(keyHash)
    return true
  })
}

/** Copies within a batch need a second round; more are needed only while others race for the very same claims. */
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
    const inserted = await table.insert(withoutCopies(open))
    for (const lead of open) if (inserted.has(lead.id)) outcomes.set(lead, created)
    if (outcomes.size === leads.length) break

    const losers = open.filter((lead) => !inserted.has(lead.id))
    const obstacles = await table.find(losers)
    for (const lead of losers) {
      const outcome = judge(lead, obstacles)
      if (outcome !== undefined) outcomes.set(lead, outcome)
    }
    open = losers.filter((lead) => !outcomes.has(lead))
    if (open.length === 0) break
  }
  return leads.map((lead) => {
    const outcome = outcomes.get(lead)
    if (outcome === undefined) throw new StoreError('contended', true, 'the claims of a lead keep changing')
    return outcome
  })
}
