// Leads as the domain hands them to a store, with made-up content.
import { createHash, randomUUIDv7 } from 'node:crypto'
import type { NewLead } from '../../src/lead/submission.ts'

const hourMs = 3_600_000

export const noon = Date.parse('2026-11-21T12:00:00.000Z')

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** A lead that differs from every other one by its id, and by its content unless `words` are given. */
export function makeLead({
  words = '',
  key,
  atMs = noon,
  contentHours = 24,
}: {
  words?: string
  key?: string
  atMs?: number
  contentHours?: number
} = {}): NewLead {
  const id = randomUUIDv7()
  const content = JSON.stringify({ name: 'Pat Example', notes: words || id })
  const iso = (ms: number) => new Date(ms).toISOString()
  return {
    id,
    kind: 'quote',
    receivedAt: iso(atMs),
    content,
    fingerprint: sha256(content),
    contentUntil: contentHours > 0 ? iso(atMs + contentHours * hourMs) : null,
    keyHash: key === undefined ? null : sha256(key),
    keyUntil: key === undefined ? null : iso(atMs + 24 * hourMs),
    consent: {
      communicationsConsent: true,
      consentTimestamp: '2026-11-21T11:59:00Z',
      clientAddress: '192.0.2.7',
      userAgent: 'test/1',
      pageUrl: 'https://www.example.com/quote',
      path: 'rest-v1',
      purpose: 'contact about this quote request',
      termsVersion: '2026-11-01',
      wordingSha256: sha256('wording'),
      contentSha256: sha256(content),
      requestId: randomUUIDv7(),
    },
    seal: sha256(id),
  }
}

/** The receipt of a lead, as its copies get it. */
export function receiptOf({ id, kind, receivedAt }: NewLead) {
  return { id, formType: kind, receivedAt }
}
