import { parseEvidence } from './evidence.ts'
import type { CheckedEntry } from './evidence-reader.ts'
import { sha256 } from './fingerprint.ts'
import type { SealEntry } from './seal.ts'

/** A lead, as opposed to a change. */
export type CheckedLead = CheckedEntry & { entry: Extract<SealEntry, { what: 'received' }> }

/**
 * Compares a lead's personal part with its evidence, and returns the hashes of the texts that the evidence refers to.
 */
export function checkEntry(
  { entry, personal, erased }: CheckedLead,
  find: (reason: string, detail: string, ids: readonly string[]) => void,
): string[] {
  const ids = [entry.leadId]
  const evidence = parseEvidence(entry.evidence)
  if (evidence === undefined) {
    find('evidence_unreadable', `the evidence at position ${entry.position} was not written by the service`, ids)
    return []
  }
  if (personal === null && !erased) find('personal_missing', 'the personal part is gone without an erasure', ids)
  if (personal !== null && erased) find('personal_kept', 'the lead was erased, but its personal part still exists', ids)
  if (personal !== null && sha256(personal) !== evidence.personalSha256) {
    find('personal_altered', 'the personal part does not match its hash in the evidence', ids)
  }
  return [evidence.wordingSha256, evidence.statementSha256]
}
