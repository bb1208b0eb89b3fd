import { readEvidence } from './evidence.ts'
import { sha256 } from './fingerprint.ts'
import type { PageReader, StoredLead } from './stored-lead.ts'

/** What is wrong with the evidence of a lead. */
export type ConsentFailure =
  /** The personal part is not the one that was submitted. */
  | 'personal_altered'
  /** It is gone without an erasure. */
  | 'personal_missing'

/** What a check of all evidence has found. */
export interface ConsentReport {
  /** Leads looked at, the erased ones included. */
  leads: number
  /** Leads whose personal part has been erased, so that its hash cannot be recomputed. */
  erased: number
  failures: { id: string; failure: ConsentFailure }[]
}

/** Leads read at a time. */
const pageMax = 500

/** Recomputes the hashes of all evidence (docs/specification.md §9). Rejects with what the reader rejects with. */
export async function checkConsent(reader: PageReader): Promise<ConsentReport> {
  const report: ConsentReport = { leads: 0, erased: 0, failures: [] }
  let position = 0
  for (;;) {
    const leads = await reader.readAfter(position, pageMax)
    for (const lead of leads) {
      report.leads++
      if (lead.erasure !== null) report.erased++
      for (const failure of findFailures(lead)) report.failures.push({ id: lead.id, failure })
    }
    position = leads.at(-1)?.position ?? position
    if (leads.length < pageMax) return report
  }
}

function findFailures({ personal, evidence, erasure }: StoredLead): ConsentFailure[] {
  const { personalSha256 } = readEvidence(evidence)
  const failures: ConsentFailure[] = []
  if (personal !== null && sha256(personal) !== personalSha256) failures.push('personal_altered')
  if (personal === null && erasure === null) failures.push('personal_missing')
  return failures
}
