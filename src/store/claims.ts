import type { NewLead, Receipt, StoreOutcome } from '../lead/submission.ts'
import { type Database, StoreError } from './database.ts'
import { findClaims, findIds } from './queries.ts'

/** A row of `claims`: which lead holds the hash of an Idempotency-Key or of a content, and until when. */
interface Claim {
  key: string
  leadId: string
  receivedAt: string
  endsAt: string
  /** The hash of the lead's content. It distinguishes a replay from a reused key. */
  content: string
}

const created: StoreOutcome = { kind: 'created' }

/**
 * Decides about a lead that a claim kept out, by its key before its content (specification §7). Returns undefined if no
 * claim holds any longer. Then the lead is inserted again.
 */
function decide(lead: NewLead, claims: readonly Claim[]): StoreOutcome | undefined {
  const holding = (hash: string) => claims.find((claim) => claim.key === hash && claim.endsAt > lead.receivedAt)
  // Equal content hashes imply an equal kind, so the first lead's kind is this lead's kind.
  const receiptOf = ({ leadId, receivedAt }: Claim): Receipt => ({ id: leadId, formType: lead.kind, receivedAt })

  const byKey = lead.keyHash === null ? undefined : holding(lead.keyHash)
  if (byKey !== undefined) {
    const same = byKey.content === lead.contentHash
    return same ? { kind: 'replayed', receipt: receiptOf(byKey) } : { kind: 'key_reused' }
  }
  const byContent = lead.contentUntil === null ? undefined : holding(lead.contentHash)
  return byContent && { kind: 'duplicate', receipt: receiptOf(byContent) }
}

/** The leads that share no key or content with an earlier one of the batch. The others wait for the next round. */
function withoutCopies(leads: readonly NewLead[]): NewLead[] {
  const claimed = new Set<string>()
  return leads.filter(({ keyHash, contentHash, contentUntil }) => {
    if (claimed.has(contentHash) || (keyHash !== null && claimed.has(keyHash))) return false
    if (contentUntil !== null) claimed.add(contentHash)
    if (keyHash !== null) claimed.add(keyHash)
    return true
  })
}

export async function findStored(database: Database, leads: readonly NewLead[]): Promise<ReadonlySet<string>> {
  const ids = leads.map(({ id }) => id)
  const found = await database.readDurable<{ id: string }>({ text: findIds, values: [ids] })
  return new Set(found.map(({ id }) => id))
}

/** Duplicates within a batch need a second round. Only replicas that race for the same claims need more. */
const roundsMax = 4

/**
 * Stores the leads whose key and content are free, and finds the first receipts of the others. Outcomes are in the
 * order of the leads. Safe to repeat, even if the first attempt may have been committed.
 */
export async function storeLeads(database: Database, leads: readonly NewLead[]): Promise<StoreOutcome[]> {
  const outcomes = new Map<NewLead, StoreOutcome>()
  let undecided = leads
  for (let round = 1; undecided.length > 0; round++) {
    if (round > roundsMax) throw new StoreError('contended', true, 'the claims of a lead keep changing')
    // Acknowledge only the leads that the database reports as stored.
    const inserted = new Set(await database.insert(withoutCopies(undecided)))
    for (const lead of undecided) if (inserted.has(lead.id)) outcomes.set(lead, created)

    const losers = undecided.filter((lead) => !outcomes.has(lead))
    if (losers.length === 0) break
    const hashes = losers.flatMap(({ keyHash, contentHash }) => [contentHash, ...(keyHash === null ? [] : [keyHash])])
    // An earlier attempt, whose answer was lost, may have stored some.
    const stored = await findStored(database, losers)
    const claims = await database.readDurable<Claim>({ text: findClaims, values: [hashes] })
    for (const lead of losers) {
      const outcome = stored.has(lead.id) ? created : decide(lead, claims)
      if (outcome !== undefined) outcomes.set(lead, outcome)
    }
    undecided = losers.filter((lead) => !outcomes.has(lead))
  }
  return leads.map((lead) => outcomes.get(lead) as StoreOutcome)
}
