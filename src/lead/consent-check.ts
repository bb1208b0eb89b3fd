import type { Seal } from './consent-seal.ts'
import { sha256 } from './fingerprint.ts'
import type { PageReader, StoredConsent, StoredLead } from './stored-lead.ts'
import { wordings } from './terms.ts'

/** What is wrong with a consent record. */
export type ConsentFailure =
  /** The lead has none. */
  | 'no_record'
  /** The content is not the one that was submitted. */
  | 'content_altered'
  /** The wording is not the one of its version. */
  | 'wording_unknown'
  /** The time of receipt is not that of the lead. */
  | 'time_altered'
  /** Something in the record is not what was sealed. */
  | 'seal_broken'
  /** There is no seal, though records before this one are sealed. */
  | 'seal_missing'

/** What a check of every record has found. */
export interface ConsentReport {
  /** Leads looked at, the erased ones included. */
  leads: number
  /** Leads whose content has been erased, so that its hash cannot be recomputed. */
  erased: number
  /** Leads whose record has a seal that holds; 0 without a key to check it with. */
  sealed: number
  failures: { id: string; failure: ConsentFailure }[]
}

/** Leads read at a time. */
const pageMax = 500

const wordingHashes = new Map(wordings.map(({ version, text }) => [version, sha256(text)]))

/**
 * Recomputes the hashes of every consent record (contract §9), and the seals where `seal` is given. Rejects with what the
 * reader rejects with.
 */
export async function checkConsent(reader: PageReader, seal?: Seal): Promise<ConsentReport> {
  const report: ConsentReport = { leads: 0, erased: 0, sealed: 0, failures: [] }

  function judge(lead: StoredLead) {
    report.leads++
    if (lead.erasure !== null) report.erased++
    const failures = findFailures(lead)
    if (seal !== undefined && lead.consent !== null) {
      const sealing = judgeSeal(lead, lead.consent, seal)
      if (sealing === 'holds') report.sealed++
      // Records from before there was a key have none.
      else if (sealing === 'seal_broken' || report.sealed > 0) failures.push(sealing)
    }
    for (const failure of failures) report.failures.push({ id: lead.id, failure })
  }

  let position = 0
  for (;;) {
    const leads = await reader.readAfter(position, pageMax)
    leads.forEach(judge)
    position = leads.at(-1)?.position ?? position
    if (leads.length < pageMax) return report
  }
}

function findFailures({ consent, content, receivedAt }: StoredLead): ConsentFailure[] {
  if (consent === null) return ['no_record']
  const failures: ConsentFailure[] = []
  if (content !== null && sha256(content) !== consent.contentSha256) failures.push('content_altered')
  if (wordingHashes.get(consent.termsVersion) !== consent.wordingSha256) failures.push('wording_unknown')
  if (receivedAt !== consent.receivedAt) failures.push('time_altered')
  return failures
}

function judgeSeal(lead: StoredLead, consent: StoredConsent, seal: Seal): 'holds' | 'seal_broken' | 'seal_missing' {
  if (consent.seal === null) return 'seal_missing'
  return consent.seal === seal({ ...lead, consent }) ? 'holds' : 'seal_broken'
}
