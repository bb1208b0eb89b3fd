import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import type { LeadKind } from './submission.ts'

/** A feed entry as it is sealed. It excludes what an erasure removes, so a seal stays valid after an erasure. */
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

/** A sealed range of the feed (docs/specification.md §9). */
export interface Segment {
  /** Starts at 1 and has no gaps. */
  segment: number
  /** The positions of its first and last entry. */
  first: number
  last: number
  /** How many entries it has. */
  entries: number
  /** Null: sealed without a key. */
  keyId: string | null
  /** 64 hexadecimal digits. */
  seal: string
  /** RFC 3339 in UTC with milliseconds. */
  sealedAt: string
}

/** The message of the log line about a sealed segment. `consent:verify --witness` searches for its seal. */
export const sealedMessage = 'evidence sealed'

export interface SealKey {
  /** Identifies the key in a segment without revealing it: 16 hexadecimal digits. */
  id: string
  secret: string
}

/** Creates the keys from the texts of `CONSENT_SEAL_KEY`. The first one seals new segments. */
export function createSealKeys(secrets: readonly string[]): SealKey[] {
  return secrets.map((secret) => ({
    id: createHmac('sha256', secret).update('lead-intake consent seal key id').digest('hex').slice(0, 16),
    secret,
  }))
}

/** Hashes the entries of one segment, in order. */
export interface SegmentHash {
  add(entry: SealEntry): void
  readonly entries: number
  finish(sealedAt: string): { first: number; last: number; entries: number; seal: string }
}

/**
 * Starts the seal of a segment: HMAC-SHA256, or SHA-256 without a key, over lines of JSON. The first line has the
 * segment's number and the previous seal. Then comes one line per entry. The last line has the positions, the count and
 * the time.
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
