import type { NewLead } from '../lead/submission.ts'

/**
 * How long a lead without claims stays in `recent_submissions`. A retry after an unknown outcome finds its own row there,
 * so this is far more than the deadline of a submission.
 */
const rememberedMs = 3_600_000

/** One lead as both databases take it: a member for each column of the three tables. */
export interface LeadRow {
  id: string
  form_type: string
  received_at: string
  content: string
  fingerprint: string
  content_until: string | null
  key_hash: string | null
  key_until: string | null
  expires_at: string
  communications_consent: boolean | null
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

/** When a lead's row may go: with the later of its claims, whose windows are whole hours; without any, after an hour. */
function expiry({ receivedAt, contentUntil, keyUntil }: NewLead): string {
  const later = contentUntil !== null && keyUntil !== null && keyUntil > contentUntil ? keyUntil : contentUntil
  return later ?? keyUntil ?? new Date(Date.parse(receivedAt) + rememberedMs).toISOString()
}

function toRow(lead: NewLead): LeadRow {
  const { consent } = lead
  return {
    id: lead.id,
    form_type: lead.kind,
    received_at: lead.receivedAt,
    content: lead.content,
    fingerprint: lead.fingerprint,
    content_until: lead.contentUntil,
    key_hash: lead.keyHash,
    key_until: lead.keyUntil,
    expires_at: expiry(lead),
    communications_consent: consent.communicationsConsent,
    consent_timestamp: consent.consentTimestamp,
    client_address: consent.clientAddress,
    user_agent: consent.userAgent,
    page_url: consent.pageUrl,
    path: consent.path,
    purpose: consent.purpose,
    terms_version: consent.termsVersion,
    wording_sha256: consent.wordingSha256,
    content_sha256: consent.contentSha256,
    request_id: consent.requestId,
    seal: lead.seal,
  }
}

/** The leads of a batch as one JSON array of rows: the one parameter of a statement, however many leads there are. */
export function encodeRows(leads: readonly NewLead[]): string {
  return JSON.stringify(leads.map(toRow))
}
