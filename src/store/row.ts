import type { NewLead } from '../lead/submission.ts'

const hourMs = 3_600_000

/**
 * How long a lead stays in `recent_submissions` at least. A retry after an unknown outcome finds its own row there, so
 * this is far more than the deadline of a submission.
 */
const remembered = { atLeastMs: hourMs }

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

/** The latest of the times that are there. All have one form, so their order is that of the text. */
function latest(first: string, ...others: (string | null)[]): string {
  return others.reduce<string>((found, time) => (time !== null && time > found ? time : found), first)
}

function toRow({ consent, ...lead }: NewLead): LeadRow {
  const receivedForAnHour = new Date(Date.parse(lead.receivedAt) + remembered.atLeastMs).toISOString()
  return {
    id: lead.id,
    form_type: lead.kind,
    received_at: lead.receivedAt,
    content: lead.content,
    fingerprint: lead.fingerprint,
    content_until: lead.contentUntil,
    key_hash: lead.keyHash,
    key_until: lead.keyUntil,
    expires_at: latest(receivedForAnHour, lead.contentUntil, lead.keyUntil),
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
