import { beforeAll, type EvidenceReader } from './evidence-reader.ts'
import type { EvidenceReport } from './evidence-report.ts'
import { hashSegment, type SealEntry, type SealKey, type Segment, type SegmentHash } from './seal.ts'

export interface SegmentCheckOptions {
  reader: EvidenceReader
  keys: readonly SealKey[]
  nowMs: number
  find(reason: string, detail: string, ids?: readonly string[]): void
  warn(text: string): void
  /** The report to add counts to. */
  report: EvidenceReport
}

export interface SegmentCheck {
  /** Takes all entries, in the order of their positions. */
  take(entry: SealEntry): Promise<void>
  finish(): Promise<void>
}

/** The maximum number of ids that a finding lists. */
const idsMax = 20

/** With a key, evidence older than this should be sealed; something has prevented it. In milliseconds. */
const unsealedMaxMs = 600_000

const segmentRows = 500

/** The segment whose entries are being taken. `hash` is undefined if the seal cannot be compared. */
interface Current {
  segment: Segment
  hash: SegmentHash | undefined
  ids: string[]
  leads: number
  entries: number
}

/** Compares entries with the chain of segments. */
export async function createSegmentCheck(options: SegmentCheckOptions): Promise<SegmentCheck> {
  const { reader, keys, nowMs, find, warn, report } = options
  const segments = readSegments(reader)
  const late = { count: 0, ids: [] as string[] }
  let previous: Segment | undefined
  let keySeen = false
  let current = await next()

  async function next(): Promise<Current | undefined> {
    let { value: segment } = await segments.next()
    while (segment !== undefined && segment.segment < 1) {
      find('segment_inserted', `segment ${segment.segment} exists, but numbers start at 1`)
      segment = (await segments.next()).value
    }
    if (segment === undefined) return undefined
    const expected = (previous?.segment ?? 0) + 1
    const follows = segment.segment === expected
    if (!follows) find('segment_missing', `segments ${expected} to ${segment.segment - 1} are missing`)
    const begun: Current = { segment, hash: begin(segment, follows), ids: [], leads: 0, entries: 0 }
    previous = segment
    return begun
  }

  /** Starts the hash of a segment, if its key and the previous seal are known. */
  function begin({ segment, keyId }: Segment, follows: boolean): SegmentHash | undefined {
    const key = keys.find(({ id }) => id === keyId)
    if (keyId === null && keySeen) {
      find('key_dropped', `segment ${segment} has no key, but earlier segments have one`)
    }
    if (keyId !== null && !keySeen) {
      keySeen = true
      if (segment > 1) {
        warn(
          `Segments 1 to ${segment - 1} were made without a key, so they show accidents, not attackers. If CONSENT_SEAL_KEY was set by then, someone has replaced them: compare with --witness.`,
        )
      }
    }
    if (keyId !== null && key === undefined) {
      find(
        'key_missing',
        `key missing: segment ${segment} needs the key ${keyId}, which CONSENT_SEAL_KEY does not have`,
      )
      return undefined
    }
    return follows ? hashSegment(segment, key, previous?.seal ?? null) : undefined
  }

  function close({ segment, hash, ids, leads, entries }: Current) {
    if (hash === undefined) return
    const { first, last, seal } = hash.finish(segment.sealedAt)
    if (seal === segment.seal && first === segment.first && last === segment.last && entries === segment.entries) {
      report.sealed += leads
      if (segment.keyId === null) report.keyless++
      else report.keyed++
      return
    }
    const found =
      entries === segment.entries ? `${entries} entries` : `${segment.entries} entries, but now has ${entries}`
    const detail = `segment ${segment.segment} (positions ${segment.first} to ${segment.last}, sealed ${segment.sealedAt}) is broken: it was sealed with ${found}`
    find('segment_broken', entries > ids.length ? `${detail}; its first leads` : detail, ids)
  }

  return {
    async take(entry) {
      while (current !== undefined && entry.position > current.segment.last) {
        close(current)
        current = await next()
      }
      const isLead = entry.what === 'received'
      if (current === undefined) {
        if (isLead) report.unsealed++
        if (nowMs - Date.parse(entry.at) <= unsealedMaxMs) return
        late.count++
        if (late.ids.length < idsMax) late.ids.push(entry.leadId)
        return
      }
      current.hash?.add(entry)
      current.entries++
      if (isLead) current.leads++
      if (current.ids.length < idsMax && !current.ids.includes(entry.leadId)) current.ids.push(entry.leadId)
    },
    async finish() {
      while (current !== undefined) {
        close(current)
        current = await next()
      }
      if (keys.length > 0 && late.count > 0) {
        find('unsealed_too_long', `${late.count} entries have not been sealed for more than ten minutes`, late.ids)
      }
    },
  }
}

async function* readSegments(reader: EvidenceReader): AsyncGenerator<Segment, undefined> {
  // An administrator may have inserted segments below 1.
  let after = beforeAll
  for (;;) {
    const page = await reader.segments(after, segmentRows)
    yield* page
    after = page.at(-1)?.segment ?? after
    if (page.length < segmentRows) return undefined
  }
}
