import { LeadError } from '../lead/error.ts'
import type { ErasureReason, LeadEraser, LeadReader, StoredLead } from '../lead/stored-lead.ts'
import type { LeadKind, SubmissionPath } from '../lead/submission.ts'
import { isTransient } from './error.ts'

/** What a store offers to the inbox and to erasure. */
export interface InboxStore extends LeadReader, LeadEraser {}

/** Whole seconds that a caller is asked to wait: about as long as a failover takes. */
const retryAfterSeconds = 5

/** Has each rejection say to the caller whether it may come again. The cause holds no personal data. */
async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!isTransient(error)) throw error
    throw new LeadError('inbox_unavailable', 'The database cannot be read right now.', {
      retryAfterSeconds,
      cause: error,
    })
  }
}

/** The inbox of a backend, whose rejections are each a `StoreError`. */
export function createInboxStore(backend: InboxStore): InboxStore {
  return {
    readAfter: (...args) => orUnavailable(backend.readAfter(...args)),
    find: (id) => orUnavailable(backend.find(id)),
    idAt: (position) => orUnavailable(backend.idAt(position)),
    onStored: backend.onStored,
    erase: (...args) => orUnavailable(backend.erase(...args)),
    eraseReceivedBefore: (...args) => orUnavailable(backend.eraseReceivedBefore(...args)),
  }
}

/** A lead with its consent record as both databases give it. Times are as in a receipt. */
export interface InboxRow {
  position: number
  id: string
  form_type: string
  received_at: string
  content: string | null
  erased_at: string | null
  erased_reason: string | null
  /** Null: there is no consent record. */
  consent_received_at: string | null
  /** SQLite has 0 and 1. */
  communications_consent: boolean | number | null
  consent_timestamp: string | null
  client_address: string | null
  user_agent: string | null
  page_url: string | null
  path: string
  purpose: string
  terms_version: string
  wording_sha256: string
  content_sha256: string
  request_id: string
  seal: string | null
}

/** The columns of a consent record that an `InboxRow` has, but for the time of receipt. */
export const consentColumns = [
  'communications_consent',
  'consent_timestamp',
  'client_address',
  'user_agent',
  'page_url',
  'path',
  'purpose',
  'terms_version',
  'wording_sha256',
  'content_sha256',
  'request_id',
  'seal',
] as const satisfies (keyof InboxRow)[]

export function toStoredLead(row: InboxRow): StoredLead {
  return {
    position: row.position,
    id: row.id,
    kind: row.form_type as LeadKind,
    receivedAt: row.received_at,
    content: row.content,
    erasure: row.erased_at === null ? null : { at: row.erased_at, reason: row.erased_reason as ErasureReason },
    consent: row.consent_received_at === null ? null : toConsent(row, row.consent_received_at),
  }
}

function toConsent(row: InboxRow, receivedAt: string): StoredLead['consent'] {
  return {
    communicationsConsent: row.communications_consent === null ? null : Boolean(row.communications_consent),
    consentTimestamp: row.consent_timestamp,
    receivedAt,
    clientAddress: row.client_address,
    userAgent: row.user_agent,
    pageUrl: row.page_url,
    path: row.path as SubmissionPath,
    purpose: row.purpose,
    termsVersion: row.terms_version,
    wordingSha256: row.wording_sha256,
    contentSha256: row.content_sha256,
    requestId: row.request_id,
    seal: row.seal,
  }
}
