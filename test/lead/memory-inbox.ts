// An inbox store in memory that obeys the contract of `LeadReader` and `LeadEraser`, and tells what was asked of it.
import { randomUUIDv7 } from 'node:crypto'
import { sha256 } from '../../src/lead/fingerprint.ts'
import type { Erasure, LeadEraser, LeadFilter, LeadReader, StoredLead } from '../../src/lead/stored-lead.ts'
import { currentWording, currentWordingSha256 } from '../../src/lead/terms.ts'

export const noon = Date.parse('2026-11-21T12:00:00.000Z')

/** A stored lead with made-up content. */
export function storedLead(position: number, changes: Partial<StoredLead> = {}): StoredLead {
  const content = JSON.stringify({ formType: 'quote', name: 'Pat Example', notes: `Lead ${position}` })
  const receivedAt = changes.receivedAt ?? new Date(noon + position).toISOString()
  return {
    position,
    id: randomUUIDv7(),
    kind: 'quote',
    content,
    erasure: null,
    consent: {
      communicationsConsent: true,
      consentTimestamp: '2026-11-21T11:59:00Z',
      receivedAt,
      clientAddress: '192.0.2.7',
      userAgent: 'test/1',
      pageUrl: 'https://www.example.com/quote',
      path: 'rest-v1',
      purpose: 'contact about this quote request',
      termsVersion: currentWording.version,
      wordingSha256: currentWordingSha256,
      contentSha256: sha256(content),
      requestId: randomUUIDv7(),
      seal: null,
    },
    ...changes,
    receivedAt,
  }
}

export interface MemoryInbox extends LeadReader, LeadEraser {
  leads: StoredLead[]
  /** How often pages were read. */
  reads: number
  /** What the next reads reject with. */
  failure: Error | undefined
  /** Stores leads at the next positions, and says so unless `silent`. */
  add(count: number, options?: { silent?: boolean }): StoredLead[]
  listeners: Set<() => void>
}

function matches(lead: StoredLead, { kind, receivedAfter, receivedBefore }: LeadFilter): boolean {
  return (
    (kind === undefined || lead.kind === kind) &&
    (receivedAfter === undefined || lead.receivedAt >= receivedAfter) &&
    (receivedBefore === undefined || lead.receivedAt < receivedBefore)
  )
}

export function createMemoryInbox(): MemoryInbox {
  function eraseAll(leads: StoredLead[], erasure: Erasure) {
    for (const lead of leads) {
      store.leads[store.leads.indexOf(lead)] = {
        ...lead,
        content: null,
        erasure,
        consent: lead.consent && { ...lead.consent, clientAddress: null, userAgent: null, pageUrl: null },
      }
    }
  }

  const store: MemoryInbox = {
    leads: [],
    reads: 0,
    failure: undefined,
    listeners: new Set(),
    add(count, { silent = false } = {}) {
      const first = (store.leads.at(-1)?.position ?? 0) + 1
      const added = Array.from({ length: count }, (_, index) => storedLead(first + index))
      store.leads.push(...added)
      if (!silent) for (const listener of store.listeners) listener()
      return added
    },
    async readAfter(position, limit, filter = {}) {
      store.reads++
      if (store.failure !== undefined) throw store.failure
      return store.leads.filter((lead) => lead.position > position && matches(lead, filter)).slice(0, limit)
    },
    find: async (id) => store.leads.find((lead) => lead.id === id),
    idAt: async (position) => store.leads.find((lead) => lead.position === position)?.id,
    onStored(listener) {
      store.listeners.add(listener)
      return () => void store.listeners.delete(listener)
    },
    async erase(id, erasure) {
      const found = store.leads.find((lead) => lead.id === id)
      if (found === undefined) return undefined
      if (found.erasure === null) eraseAll([found], erasure)
      return found.erasure?.at ?? erasure.at
    },
    async eraseReceivedBefore(receivedBefore, erasure, limit) {
      const due = store.leads.filter((lead) => lead.erasure === null && lead.receivedAt < receivedBefore)
      eraseAll(due.slice(0, limit), erasure)
      return Math.min(due.length, limit)
    },
  }
  return store
}
