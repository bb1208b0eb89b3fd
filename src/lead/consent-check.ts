import { sha256 } from './fingerprint.ts'
import type { PageReader, StoredLead } from './stored-lead.ts'
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

/** What a check of every record has found. */
export interface ConsentReport {
  /** Leads looked at, the erased ones included. */
  leads: number
  /** Leads whose content has been erased, so that its hash cannot be recomputed. */
  erased: number
  failures: { id: string; failure: ConsentFailure }[]
}

/** Leads read at a time. */
const pageMax = 500

const wordingHashes = new Map(wordings.map(({ version, text }) => [version, sha256(text)]))

/** Recomputes the hashes of every consent record (contract §9). Rejects with what the reader rejects with. */
export async function checkConsent(reader: PageReader): Promise<ConsentReport> {
  const report: ConsentReport = { leads: 0, erased: 0, failures: [] }
  let position = 0
  for (;;) {
    const leads = await reader.readAfter(position, pageMax)
    for (const lead of leads) {
      position = lead.position
      report.leads++
      if (lead.erasure !== null) report.erased++
      for (const failure of findFailures(lead)) report.failures.push({ id: lead.id, failure })
    }
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
