import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import type { LeadKind } from './submission.ts'

/** An entry of the feed as it is sealed. What an erasure removes is not part of it, so that the seal outlives one. */
export type SealEntry =
  | { what: 'received'; position: number; leadId: string; kind: LeadKind; at: string; evidence: string }
  | {
      what: 'erased' | 'stopped'
      position: number
      leadId: string
      kind: LeadKind
      at: string
      reason: string
      caller: string | null
    }

/** A sealed part of the feed (docs/specification.md §9). */
export interface Segment {
  /** 1 and up, without gaps. */
  segment: number
  /** The places of its first and last entry. */
  first: number
  last: number
  /** The number of its entries. */
  entries: number
  /** Null: sealed without a key. */
  keyId: string | null
  /** 64 hexadecimal digits. */
  seal: string
  /** RFC 3339 in UTC with milliseconds. */
  sealedAt: string
}

/** The message of the log line that has a segment: `consent:verify --witness` looks for it. */
export const sealedMessage = 'evidence sealed'

export interface SealKey {
  /** Names the key in a segment and tells nothing of it: 16 hexadecimal digits. */
  id: string
  secret: string
}

/** The keys by the texts of `CONSENT_SEAL_KEY`, the one to seal with first. */
export function createSealKeys(secrets: readonly string[]): SealKey[] {
  return secrets.map((secret) => ({
    id: createHmac('sha256', secret).update('lead-intake consent seal key id').digest('hex').slice(0, 16),
    secret,
  }))
}

/** Takes the entries of one segment, in order, and gives its seal. */
export interface SegmentHash {
  add(entry: SealEntry): void
  readonly entries: number
  finish(sealedAt: string): { first: number; last: number; entries: number; seal: string }
}

/**
 * Begins the seal of a segment: HMAC-SHA256, or SHA-256 without a key, over lines of JSON. The first line names the segment
 * and the seal before it, each entry is a line, and the last line has the places, the number and the time.
 */
export function hashSegment(segment: number, key: SealKey | undefined, previousSeal: string | null): SegmentHash {
  const hash: Hash | Hmac = key === undefined ? createHash('sha256') : createHmac('sha256', key.secret)
  const write = (...values: unknown[]) => hash.update(`${JSON.stringify(values)}\n`)
  let first = 0
  let last = 0
  let entries = 0
  write('segment', segment, key?.id ?? null, previousSeal)
  return {
    add(entry) {
      const { what, position, leadId, kind, at } = entry
      if (entry.what === 'received') write(position, what, leadId, kind, at, entry.evidence)
      else write(position, what, leadId, kind, at, entry.reason, entry.caller)
      if (entries === 0) first = position
      last = position
      entries++
    },
    get entries() {
      return entries
    },
    finish(sealedAt) {
      write('end', first, last, entries, sealedAt)
      return { first, last, entries, seal: hash.digest('hex') }
    },
  }
}
