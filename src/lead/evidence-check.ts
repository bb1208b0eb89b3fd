import { checkEntry } from './entry-check.ts'
import { beforeAll, type CheckedEntry, type EvidenceReader } from './evidence-reader.ts'
import type { EvidenceReport, Finding } from './evidence-report.ts'
import { sha256 } from './fingerprint.ts'
import type { SealKey } from './seal.ts'
import { createSegmentCheck } from './segment-check.ts'

export interface EvidenceCheckOptions {
  reader: EvidenceReader
  /** All keys that any segment may have been sealed with. */
  keys: readonly SealKey[]
  /** Milliseconds since the epoch. */
  now: () => number
  /** Seals that must exist, for example from a log archive. */
  witness?: AsyncIterable<string> | Iterable<string>
  onFinding(finding: Finding): void
  onWarning(text: string): void
  /** Called from time to time with the number of leads checked. */
  onProgress?(leads: number): void
}

/** Entries per read, to bound the memory. */
const pageRows = 500

/**
 * After this many pages, their entries are counted, because two entries with the same position may be split between
 * pages.
 */
const countPages = 100

const witnessRows = 500

/** Recomputes the whole chain (docs/specification.md §9). Rejects with the reader's errors. */
export async function checkEvidence(options: EvidenceCheckOptions): Promise<EvidenceReport> {
  const { reader, keys, now, witness = [], onProgress } = options
  const report: EvidenceReport = { leads: 0, sealed: 0, erased: 0, unsealed: 0, keyed: 0, keyless: 0, failures: 0 }
  const find = (reason: string, detail: string, ids: readonly string[] = []) => {
    report.failures++
    options.onFinding({ reason, detail, ids })
  }
  const missingTexts = new Map<string, string>()
  const texts = await readTexts(reader, find)
  const chain = await createSegmentCheck({ reader, keys, nowMs: now(), find, warn: options.onWarning, report })

  let place = Number.NEGATIVE_INFINITY
  async function take({ entry, personal, erased }: CheckedEntry) {
    if (entry.position === place) find('place_repeated', `position ${place} exists twice`, [entry.leadId])
    place = entry.position
    await chain.take(entry)
    if (entry.what !== 'received') return
    report.leads++
    if (erased) report.erased++
    for (const hash of checkEntry({ entry, personal, erased }, find)) {
      if (!texts.has(hash) && !missingTexts.has(hash)) missingTexts.set(hash, entry.leadId)
    }
  }

  let after = beforeAll
  let counted = { after, entries: 0, pages: 0 }
  async function count() {
    const stored = await reader.countEntries(counted.after, after)
    if (stored !== counted.entries) {
      const detail = `${stored - counted.entries} entries between positions ${counted.after} and ${after} have the position of another entry`
      find('place_repeated', detail)
    }
    counted = { after, entries: 0, pages: 0 }
  }
  for (;;) {
    const page = await reader.checkedEntries(after, pageRows)
    for (const checked of page) await take(checked)
    after = page.at(-1)?.entry.position ?? after
    counted.entries += page.length
    if (++counted.pages === countPages || page.length < pageRows) await count()
    onProgress?.(report.leads)
    if (page.length < pageRows) break
  }
  await chain.finish()
  const impossible = await reader.countImpossible()
  if (impossible > 0)
    find('place_impossible', `${impossible} rows have positions or numbers that the service cannot have assigned`)
  // A release deployed during the check may have added a wording.
  const later = missingTexts.size > 0 ? await readTexts(reader, () => {}) : texts
  for (const [hash, id] of missingTexts) {
    if (!later.has(hash))
      find('wording_missing', `no text has the hash ${hash}, which this lead is the first to refer to`, [id])
  }
  await checkWitness(reader, witness, find)
  return report
}

type Find = (reason: string, detail: string, ids?: readonly string[]) => void

/** The hashes of the unaltered texts. */
async function readTexts(reader: EvidenceReader, find: Find): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>()
  for (const wording of await reader.wordings()) {
    if (sha256(wording.text) === wording.sha256) hashes.add(wording.sha256)
    else find('wording_altered', `the text with the hash ${wording.sha256} was altered`)
  }
  return hashes
}

async function checkWitness(reader: EvidenceReader, witness: AsyncIterable<string> | Iterable<string>, find: Find) {
  let batch: string[] = []
  async function check() {
    const found = new Set(await reader.findSeals(batch))
    for (const seal of batch) {
      if (found.has(seal)) continue
      find(
        'witness_missing',
        `no segment has the seal ${seal}: segments were removed, or the database is an older copy`,
      )
    }
    batch = []
  }
  for await (const seal of witness) if (batch.push(seal) === witnessRows) await check()
  if (batch.length > 0) await check()
}
