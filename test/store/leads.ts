// Leads as the domain passes them to a store, with made-up content.
import { hash, randomUUIDv7 } from 'node:crypto'
import type { Contact, NewOptOut, OptOut, StoredLead } from '../../src/inbox/stored-lead.ts'
import { contactsOf } from '../../src/lead/normalize.ts'
import type { LeadContent, NewLead, SubmissionOrigin, WordingName } from '../../src/lead/submission.ts'
import { createTexts, origin } from '../support/evidence.ts'

const hourMs = 3_600_000

export const noon = Date.parse('2026-11-21T12:00:00.000Z')

export const iso = (ms: number) => new Date(ms).toISOString()

export const byRequest = { at: '2026-11-22T08:00:00.000Z', reason: 'request', caller: 'crm.internal' } as const

export const contact: Contact = { field: 'phone', value: '2025550177' }

/** What is known of an opt-out except its contact. */
const said = {
  id: '0199e2f2-7c1e-4b6a-9d7e-3c1f0e6f5a12',
  name: 'Pat Example',
  channels: ['phone', 'text'],
  saidAt: iso(noon - 24 * hourMs),
  how: 'replied_stop',
  recordedAt: iso(noon),
  caller: 'crm.internal',
}
/** An opt-out to record, and as it is found. */
export const optOut: NewOptOut = { ...said, contact, leadIds: [] }
export const listedOptOut: OptOut = { ...said, contact: contact.value }

/** A hash in the format of claims. */
const claimHash = (text: string) => hash('sha256', text).slice(0, 32)

export interface LeadOptions {
  words?: string
  key?: string
  atMs?: number
  contentHours?: number
  content?: LeadContent
  kind?: NewLead['kind']
  /** How it arrived. */
  from?: Partial<SubmissionOrigin> | undefined
  presented?: WordingName | undefined
}

/** A lead with a unique id, and with unique content unless `words` are given. */
export function makeLead(options: LeadOptions = {}): NewLead {
  const { words = '', key, atMs = noon, contentHours = 24, kind = 'quote', presented, from } = options
  const id = randomUUIDv7()
  const made = { name: 'Pat Example', phone: '2025550100', email: 'someone@example.com', notes: words || id }
  const content: LeadContent = { ...made, communicationsConsent: true, ...options.content }
  const facts = { id, kind, receivedAt: iso(atMs) }
  return {
    ...facts,
    ...createTexts({ kind, content }, facts, { ...origin, ...from }, presented),
    ...contactsOf(content),
    contentHash: claimHash(JSON.stringify(content)),
    contentUntil: contentHours > 0 ? iso(atMs + contentHours * hourMs) : null,
    keyHash: key === undefined ? null : claimHash(`key ${key}`),
    keyUntil: key === undefined ? null : iso(atMs + 24 * hourMs),
  }
}

/** A lead as a store returns it, at the position 1 unless another is given. */
export function storedLead(lead = makeLead(), changes: Partial<StoredLead> = {}): StoredLead {
  const { id, kind, receivedAt, personal, evidence } = lead
  const unchanged = { erasure: null, optedOutAt: null, optedOutOfAll: false, optedOutChannels: [] }
  return { position: 1, id, kind, receivedAt, personal, evidence, ...unchanged, ...changes }
}
