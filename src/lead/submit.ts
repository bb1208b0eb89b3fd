import { randomUUIDv7 } from 'node:crypto'
import { originFaults } from '../words/faults.ts'
import { checkLead } from './check.ts'
import { type Fault, LeadError } from './error.ts'
import { contentHash, keyHash, sha256 } from './fingerprint.ts'
import { parseIdempotencyKey } from './idempotency-key.ts'
import { contactsOf } from './normalize.ts'
import { kindField } from './rules.ts'
import type {
  Candidate,
  CreateTexts,
  LeadKind,
  LeadStore,
  NewLead,
  Receipt,
  StoreOutcome,
  SubmissionOrigin,
  SubmissionPath,
  WordingName,
} from './submission.ts'

const hourMs = 3_600_000

const iso = (ms: number) => new Date(ms).toISOString()

export interface SubmitInput {
  candidate: Candidate
  kind?: LeadKind
  /** As sent, quoted or bare. */
  idempotencyKey: string | undefined
  origin: SubmissionOrigin
  otherFaults?: readonly Fault[]
  /** Whether the request or call has already been logged, without its outcome. */
  isOver?(): boolean
}

interface SubmitResult {
  outcome: 'created' | 'replayed' | 'duplicate'
  receipt: Receipt
  stored?: StoredFacts
}

/** What the log says about a stored lead: a log kept elsewhere proves its evidence. */
export interface StoredFacts {
  leadId: string
  evidenceSha256: string
}

/** Accepts one lead. Resolves only after it is durable. Throws a `LeadError`, or the store's error about this lead. */
export type Submit = (input: SubmitInput) => Promise<SubmitResult>

interface SubmitOptions {
  store: LeadStore
  now: () => number
  acceptTestLeads: boolean
  /** With 0, nothing is a duplicate. */
  duplicateWindowHours: number
  wording: WordingName
  createTexts: CreateTexts
  /** Called for each lead that was stored, or was stored before. */
  onLead?(path: SubmissionPath, outcome: SubmitResult['outcome']): void
  /** Called for each lead that was stored after its request or call was logged. */
  onStoredLate?(facts: StoredFacts & { requestId: string }): void
  /** Called for each new lead that was presented a wording no longer in force. */
  onOutdatedWording?(pageUrl: string | undefined): void
}

const versionForm = /^"?([a-z0-9-]{1,64})"?$/

/** How long an Idempotency-Key is remembered, in hours (docs/specification.md §7). */
export const keyWindowHours = (duplicateWindowHours: number) => Math.max(24, duplicateWindowHours)

/** The use case: check, test-data rule, idempotency key, evidence, store (docs/specification.md §3). */
export function createSubmit(options: SubmitOptions): Submit {
  const { store, now, acceptTestLeads, duplicateWindowHours, wording, createTexts } = options
  const contentWindowMs = duplicateWindowHours * hourMs
  const keyWindowMs = keyWindowHours(duplicateWindowHours) * hourMs

  /** The wordings that were looked up, by version. There are as many as the operator has ever had in force. */
  const knownWordings = new Map<string, WordingName>([[wording.version, wording]])

  /** The wording of a version, if the service ever had it. Rejects if the store could not look it up. */
  async function findKnownWording(version: string): Promise<WordingName | undefined> {
    const found = version === '' ? undefined : await store.findWording(version)
    if (found) knownWordings.set(version, found)
    return found
  }

  const wordingFaultOf = ({ submissionPath }: SubmissionOrigin): Fault => {
    const pointer = submissionPath === 'rpc' ? '#/origin/consentVersion' : '#/Consent-Version'
    return { pointer, code: 'invalid_value', ...originFaults.consent_version }
  }

  return async (input) => {
    const { candidate, kind, idempotencyKey, origin, otherFaults } = input
    const nowMs = now()
    const stated = (origin.consentVersion ?? '').trim().toLowerCase()
    // Empty if it cannot be a version.
    const version = versionForm.exec(stated)?.[1] ?? ''
    const known = knownWordings.get(version)
    const isMessage = (kind ?? candidate[kindField]) === 'support'
    const lookup = stated === '' || known || isMessage ? undefined : findKnownWording(version)
    // Null if the database could not tell, which is no fault of the lead.
    const found = lookup && (await lookup.catch(() => null))
    const wordingFault = lookup && found === undefined ? wordingFaultOf(origin) : undefined
    const { key, keyHint } = parseIdempotencyKey(idempotencyKey, acceptTestLeads)
    const submission = checkLead(candidate, { kind, nowMs, acceptTestLeads, wordingFault, keyHint, otherFaults })
    if (keyHint !== undefined) throw new LeadError('idempotency_key_invalid', { hint: keyHint })
    // A failed lookup throws only now: the faults of an invalid submission do not depend on the database.
    const presented = submission.kind === 'quote' ? (known ?? (await lookup)) : undefined
    const receivedAt = iso(nowMs)
    const receipt: Receipt = { id: randomUUIDv7(), formType: submission.kind, receivedAt }
    const { personal, evidence } = createTexts(submission, receipt, origin, presented)
    const lead: NewLead = {
      id: receipt.id,
      kind: submission.kind,
      receivedAt,
      personal,
      evidence,
      ...contactsOf(submission.content),
      contentHash: contentHash(submission),
      contentUntil: contentWindowMs > 0 ? iso(nowMs + contentWindowMs) : null,
      keyHash: key === undefined ? null : keyHash(origin.keyScope, key),
      keyUntil: key === undefined ? null : iso(nowMs + keyWindowMs),
    }
    const { requestId, submissionPath } = origin
    const factsOf = (): StoredFacts => ({ leadId: receipt.id, evidenceSha256: sha256(evidence) })
    const onLate = ({ kind }: StoreOutcome) => {
      if (kind !== 'created') return
      options.onLead?.(submissionPath, kind)
      options.onStoredLate?.({ requestId, ...factsOf() })
    }
    const outcome = await store.add(lead, onLate)
    if (outcome.kind === 'key_reused') throw new LeadError('idempotency_key_reused')
    options.onLead?.(submissionPath, outcome.kind)
    if (outcome.kind === 'created') {
      const stored = factsOf()
      if (input.isOver?.()) options.onStoredLate?.({ requestId, ...stored })
      const { pageUrl } = submission.content
      if (presented && presented.version !== wording.version)
        options.onOutdatedWording?.(pageUrl === undefined ? undefined : String(pageUrl))
      return { outcome: 'created', receipt, stored }
    }
    return { outcome: outcome.kind, receipt: outcome.receipt }
  }
}
