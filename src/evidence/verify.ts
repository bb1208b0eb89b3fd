import { parseEvidence } from '../lead/evidence-texts.ts'
import { type SecretKey, sha256 } from '../lead/fingerprint.ts'
import { type CheckedEntry, type EvidenceStore, hashSegment, readPages, type Segment } from './seal.ts'

/** A deviation from what the service has stored. */
export interface Finding {
  /** A stable name, such as `segment_broken`. */
  reason: string
  /** For people: which position, segment or text, and what is wrong. */
  detail: string
  /** The leads that are affected, or may be. */
  ids: readonly string[]
}

/** The counts of a complete evidence check. */
export interface EvidenceReport {
  leads: number
  /** Leads in intact segments. */
  sealed: number
  /** Leads whose personal part was erased. */
  erased: number
  /** Leads that are not in a segment yet. */
  unsealed: number
  /** Intact segments, with and without a key. */
  keyed: number
  keyless: number
  failures: number
}

export interface VerifyOptions {
  reader: EvidenceStore
  /** All keys that any segment may have been sealed with. */
  keys: readonly SecretKey[]
  /** Milliseconds since the epoch. */
  now: () => number
  /** Seals that must exist, for example from a log archive. */
  witness?: AsyncIterable<string> | Iterable<string>
  onFinding(finding: Finding): void
  onWarning(text: string): void
  /** Called from time to time with the number of leads checked. */
  onProgress?(leads: number): void
}

/** Segments per read, and seals per question. */
const pageRows = 500

/** The maximum number of ids that a finding lists. */
const idsMax = 20

/** With a key, an entry that is unsealed for longer than this is a finding, in milliseconds. */
const unsealedMaxMs = 600_000

/** In SQLite, an administrator can store bytes in place of a text. They get another hash. */
const hashOf = (text: unknown) => sha256(String(text))

/** Recomputes the whole chain, segment by segment (docs/specification.md §9). Rejects with the reader's errors. */
export async function verifyEvidence(options: VerifyOptions): Promise<EvidenceReport> {
  const { reader, keys, witness = [] } = options
  const nowMs = options.now()
  const report: EvidenceReport = { leads: 0, sealed: 0, erased: 0, unsealed: 0, keyed: 0, keyless: 0, failures: 0 }
  const addFinding = (reason: string, detail: string, ids: readonly string[] = []) => {
    report.failures++
    options.onFinding({ reason, detail, ids })
  }
  const wordings = await readWordings()
  for (const [hash, isIntact] of wordings) {
    if (!isIntact) addFinding('wording_altered', `the text with the hash ${hash} was altered`)
  }
  /** For each missing text, the first lead that refers to it. */
  const missingWordings = new Map<string, string>()
  let position = 0
  let entries = 0
  let previous: Segment | undefined
  let segments = 0
  let keySeen = false

  for await (const segment of allSegments()) {
    segments++
    await checkSegment(segment)
    previous = segment
  }
  await checkUnsealed()
  await checkCounts()
  await checkWordings()
  await checkWitness()
  return report

  /** The stored hash of each text, and whether it is still right. */
  async function readWordings(): Promise<Map<string, boolean>> {
    return new Map((await reader.wordings()).map(({ sha256: hash, text }) => [hash, hashOf(text) === hash]))
  }

  async function* allSegments(): AsyncGenerator<Segment> {
    let page: Segment[]
    do {
      page = await reader.segments(previous?.segment ?? 0, pageRows)
      yield* page
    } while (page.length === pageRows)
  }

  /** Checks and yields the entries up to a position, and moves `position` there. */
  async function* entriesUpTo(upTo: number): AsyncGenerator<CheckedEntry> {
    for await (const page of readPages(reader.checkedEntries, position, upTo)) {
      for (const entry of page) {
        if (entry.position === position) {
          addFinding('entry_inserted', `position ${position} exists twice`, [entry.leadId])
        }
        position = entry.position
        entries++
        if (entry.what === 'received') checkLead(entry)
        yield entry
      }
      options.onProgress?.(report.leads)
    }
  }

  /** Compares a lead's personal part with its evidence. */
  function checkLead(lead: Extract<CheckedEntry, { what: 'received' }>): void {
    const { personal, erased } = lead
    const ids = [lead.leadId]
    report.leads++
    if (erased) report.erased++
    const evidence = parseEvidence(lead.evidence)
    if (evidence === undefined) {
      addFinding('evidence_unreadable', `the evidence at position ${lead.position} was not written by the service`, ids)
      return
    }
    if (personal === null && !erased)
      addFinding('personal_missing', 'the personal part is gone without an erasure', ids)
    if (personal !== null && erased)
      addFinding('personal_kept', 'the lead was erased, but its personal part still exists', ids)
    if (personal !== null && hashOf(personal) !== evidence.personalSha256) {
      addFinding('personal_altered', 'the personal part does not match its hash in the evidence', ids)
    }
    for (const hash of [evidence.wordingSha256, evidence.statementSha256, evidence.toldSha256]) {
      if (hash !== undefined && !wordings.get(hash) && !missingWordings.has(hash))
        missingWordings.set(hash, lead.leadId)
    }
  }

  async function checkSegment(segment: Segment): Promise<void> {
    const { segment: number, first, last, keyId, sealedAt } = segment
    const expected = (previous?.segment ?? 0) + 1
    const follows = number === expected
    if (!follows) addFinding('segment_missing', `segments ${expected} to ${number - 1} are missing`)
    const key = keys.find(({ id }) => id === keyId)
    checkKey(segment, key)
    // Without its key or the seal before it, the seal cannot be compared.
    const isComparable = follows && (keyId === null || key !== undefined)
    const hash = hashSegment(number, key, previous?.seal ?? null)
    const ids = new Set<string>()
    let leads = 0
    for await (const entry of entriesUpTo(Math.max(0, Math.min(last, Number.MAX_SAFE_INTEGER)))) {
      hash.add(entry)
      if (entry.what === 'received') leads++
      if (ids.size < idsMax) ids.add(entry.leadId)
    }
    if (!isComparable) return
    if (hash.fits(segment)) {
      report.sealed += leads
      if (keyId === null) report.keyless++
      else report.keyed++
      return
    }
    const difference =
      hash.entries === segment.entries ? 'other contents' : `${segment.entries} entries, and there are ${hash.entries}`
    const detail = `segment ${number} (positions ${first} to ${last}, sealed ${sealedAt}) is broken: it was sealed with ${difference}`
    addFinding('segment_broken', hash.entries > ids.size ? `${detail}; its first leads` : detail, [...ids])
  }

  function checkKey({ segment, keyId }: Segment, key: SecretKey | undefined): void {
    if (keyId === null) {
      if (keySeen) addFinding('key_dropped', `segment ${segment} has no key, but earlier segments have one`)
      return
    }
    if (!keySeen && segment > 1) {
      options.onWarning(
        `Segments 1 to ${segment - 1} were made without a key, so they show accidents, not attackers. If CONSENT_SEAL_KEY was set by then, someone has replaced them: compare with --witness.`,
      )
    }
    keySeen = true
    if (key !== undefined) return
    addFinding(
      'key_missing',
      `key missing: segment ${segment} needs the key ${keyId}, which CONSENT_SEAL_KEY does not have`,
    )
  }

  async function checkUnsealed(): Promise<void> {
    const late = { count: 0, ids: [] as string[] }
    for await (const { what, at, leadId } of entriesUpTo(Number.MAX_SAFE_INTEGER)) {
      if (what === 'received') report.unsealed++
      if (nowMs - Date.parse(at) <= unsealedMaxMs) continue
      late.count++
      if (late.ids.length < idsMax) late.ids.push(leadId)
    }
    if (keys.length > 0 && late.count > 0) {
      addFinding('unsealed_too_long', `${late.count} entries have not been sealed for more than ten minutes`, late.ids)
    }
  }

  /** Finds the rows that no read has returned, because their numbers are impossible or repeated. */
  async function checkCounts(): Promise<void> {
    const stored = await reader.countRows(position, previous?.segment ?? 0)
    const at = 'at numbers that the service cannot have assigned'
    if (stored.entries !== entries) addFinding('entry_inserted', `${stored.entries - entries} entries exist ${at}`)
    if (stored.segments !== segments)
      addFinding('segment_inserted', `${stored.segments - segments} segments exist ${at}`)
  }

  async function checkWordings(): Promise<void> {
    // A release deployed during the check may have added a wording.
    const later = missingWordings.size > 0 ? await readWordings() : wordings
    for (const [hash, id] of missingWordings) {
      if (later.get(hash)) continue
      addFinding('wording_missing', `no text has the hash ${hash}, which this lead is the first to refer to`, [id])
    }
  }

  async function checkWitness(): Promise<void> {
    let batch: string[] = []
    const check = async () => {
      const found = new Set(await reader.findSeals(batch))
      for (const seal of batch.filter((each) => !found.has(each))) {
        const why = 'segments were removed, or the database is an older copy'
        addFinding('witness_missing', `no segment has the seal ${seal}: ${why}`)
      }
      batch = []
    }
    for await (const seal of witness) if (batch.push(seal) === pageRows) await check()
    if (batch.length > 0) await check()
  }
}
