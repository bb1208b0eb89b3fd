import type { NewLead, Receipt, StoreOutcome } from '../lead/submission.ts'
import type { Database } from './database.ts'
import { StoreError } from './error.ts'
import { findClaims, findStored } from './queries.ts'

/** A row of `claims`: the lead that holds a hash, of an Idempotency-Key or of a lead's content, and until when. */
interface Claim {
  key: string
  leadId: string
  receivedAt: string
  endsAt: string
  /** The hash of the lead's content. It distinguishes a replay from a reused key. */
  content: string
}

/** Why some leads of a batch were not inserted: an earlier attempt, whose answer was lost, stored them; or claims. */
interface Obstacles {
  stored: ReadonlySet<string>
  claims: readonly Claim[]
}

/** A hash without hyphens: PostgreSQL stores it as a UUID. */
const plain = (hash: string) => hash.replaceAll('-', '')

async function findObstacles({ readDurable }: Database, leads: readonly NewLead[]): Promise<Obstacles> {
  const ids = leads.map(({ id }) => id)
  const keys = leads.flatMap(({ keyHash, contentHash }) => (keyHash === null ? contentHash : [keyHash, contentHash]))
  const stored = await readDurable<{ id: string }>({ text: findStored, values: [ids] })
  const claims = await readDurable<Claim>({ text: findClaims, values: [keys] })
  return {
    stored: new Set(stored.map(({ id }) => id)),
    claims: claims.map((claim) => ({ ...claim, key: plain(claim.key), content: plain(claim.content) })),
  }
}

const created: StoreOutcome = { kind: 'created' }

/** Decides about a lead that was not inserted: key before content (specification §7). Undefined: insert it again. */
function decide(lead: NewLead, { stored, claims }: Obstacles): StoreOutcome | undefined {
  if (stored.has(lead.id)) return created

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

/** The leads that share no key or content with an earlier lead of the batch. The others wait for the next round. */
function withoutCopies(leads: readonly NewLead[]): NewLead[] {
  const claimed = new Set<string>()
  return leads.filter(({ keyHash, contentHash, contentUntil }) => {
    if (claimed.has(contentHash) || (keyHash !== null && claimed.has(keyHash))) return false
    if (contentUntil !== null) claimed.add(contentHash)
    if (keyHash !== null) claimed.add(keyHash)
    return true
  })
}

/** Duplicates within a batch need a second round. Only replicas that race for the same claims need more. */
const roundsMax = 4

/**
 * Stores the new leads and finds the original receipts of the others. Safe to repeat with the same leads, even when it
 * is unknown whether the first attempt was committed. Outcomes are in the order of the leads.
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
    const obstacles = await findObstacles(database, losers)
    for (const lead of losers) {
      const outcome = decide(lead, obstacles)
      if (outcome !== undefined) outcomes.set(lead, outcome)
    }
    undecided = losers.filter((lead) => !outcomes.has(lead))
  }
  return leads.map((lead) => outcomes.get(lead) as StoreOutcome)
}
