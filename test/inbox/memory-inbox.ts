// An in-memory store that implements `LeadReader`, `LeadEraser` and `StopStore`, and records the calls.
import { randomUUIDv7 } from 'node:crypto'
import type {
  Erasure,
  FeedEntry,
  LeadEraser,
  LeadFilter,
  LeadReader,
  Stop,
  StopStore,
  StoredLead,
} from '../../src/inbox/stored-lead.ts'
import type { LeadContent, SubmissionOrigin } from '../../src/lead/submission.ts'
import { makeTexts } from '../support/evidence.ts'

export const noon = Date.parse('2026-11-21T12:00:00.000Z')

export const iso = (ms: number) => new Date(ms).toISOString()

export interface StoredLeadChanges extends Partial<Omit<StoredLead, 'personal' | 'evidence'>> {
  content?: LeadContent
  origin?: Partial<SubmissionOrigin>
}

/** A stored lead with made-up content. */
export function storedLead(position: number, { content, origin, ...changes }: StoredLeadChanges = {}): StoredLead {
  const kind = changes.kind ?? 'quote'
  const made = content ?? {
    formType: kind,
    name: 'Pat Example',
    notes: `Lead ${position}`,
    communicationsConsent: true,
  }
  return {
    position,
    id: randomUUIDv7(),
    kind,
    receivedAt: iso(noon + position),
    ...makeTexts(made, kind, origin),
    erasure: null,
    stoppedAt: null,
    ...changes,
  }
}

interface Change {
  position: number
  id: string
  at: string
  what: 'erased' | 'stopped'
  leadId: string
}

export interface MemoryInbox extends LeadReader, LeadEraser, StopStore {
  leads: StoredLead[]
  changes: Change[]
  stops: (Stop & { marked: boolean })[]
  /** How often pages were read. */
  reads: number
  /** The error that the next reads reject with. */
  failure: Error | undefined
  /** Stores leads at the next positions, and notifies listeners unless `silent`. */
  add(count: number, options?: StoredLeadChanges & { silent?: boolean }): StoredLead[]
  /** Removes everything after a position, like a database restored from an older backup. */
  restore(position: number): void
  /** The whole feed. */
  feed(): FeedEntry[]
  listeners: Set<() => void>
  /** Called when the connection is made again. */
  reconnected: Set<() => void>
}

function matches(lead: StoredLead, { kind, receivedAfter, receivedBefore }: LeadFilter): boolean {
  return (
    (kind === undefined || lead.kind === kind) &&
    (receivedAfter === undefined || lead.receivedAt >= receivedAfter) &&
    (receivedBefore === undefined || lead.receivedAt < receivedBefore)
  )
}

export function createMemoryInbox(): MemoryInbox {
  const last = () => Math.max(0, store.leads.at(-1)?.position ?? 0, store.changes.at(-1)?.position ?? 0)
  const notify = () => {
    for (const listener of store.listeners) listener()
  }
  const find = (id: string) => store.leads.find((lead) => lead.id === id)

  function change(leadId: string, what: Change['what'], at: string) {
    store.changes.push({ position: last() + 1, id: randomUUIDv7(), leadId, what, at })
  }

  function eraseAll(leads: StoredLead[], erasure: Erasure) {
    for (const lead of leads) {
      store.leads[store.leads.findIndex(({ id }) => id === lead.id)] = { ...lead, personal: null, erasure }
      change(lead.id, 'erased', erasure.at)
    }
    if (leads.length > 0) notify()
  }

  function read() {
    store.reads++
    if (store.failure !== undefined) throw store.failure
  }

  const store: MemoryInbox = {
    leads: [],
    changes: [],
    stops: [],
    reads: 0,
    failure: undefined,
    listeners: new Set(),
    reconnected: new Set(),
    add(count, { silent = false, ...changes } = {}) {
      const first = last() + 1
      const added = Array.from({ length: count }, (_, index) => storedLead(first + index, changes))
      store.leads.push(...added)
      if (!silent) notify()
      return added
    },
    restore(position) {
      const erased = new Set(store.changes.filter((each) => each.position > position).map(({ leadId }) => leadId))
      store.changes = store.changes.filter((each) => each.position <= position)
      store.leads = store.leads
        .filter((lead) => lead.position <= position)
        .map((lead) => (erased.has(lead.id) ? { ...storedLead(lead.position), id: lead.id } : lead))
    },
    feed() {
      const leads = store.leads.map((lead): FeedEntry => {
        const { position, id, receivedAt } = lead
        return { position, id, at: receivedAt, what: 'received', lead }
      })
      const changes = store.changes.map(({ position, id, at, what, leadId }): FeedEntry => {
        return { position, id, at, what, lead: find(leadId) as StoredLead }
      })
      return [...leads, ...changes].sort((a, b) => a.position - b.position)
    },
    async readAfter(position, limit, filter = {}) {
      read()
      return store.leads.filter((lead) => lead.position > position && matches(lead, filter)).slice(0, limit)
    },
    async readChanges(position, { rows, bytes }, { kind } = {}) {
      read()
      // Keeps the feed sorted, because sorting 100,000 leads for every page would dominate the test.
      const behind = store.changes.length > 0 ? store.feed() : store.leads.map(toEntry)
      const found: FeedEntry[] = []
      let size = 0
      for (const entry of behind) {
        if (entry.position <= position || !matches(entry.lead, { kind })) continue
        size += (entry.lead.personal?.length ?? 0) + entry.lead.evidence.length
        if (found.length === rows || (found.length > 0 && size > bytes)) {
          return { entries: found, examined: found.at(-1)?.position ?? position, more: true }
        }
        found.push(entry)
      }
      return { entries: found, examined: Math.max(position, last()), more: false }
    },
    async head() {
      if (store.failure !== undefined) throw store.failure
      return last()
    },
    find: async (id) => find(id),
    idAt: async (position) => store.feed().find((entry) => entry.position === position)?.id,
    positionAt: async (time) => store.feed().find(({ at }) => at >= time)?.position,
    onStored(listener) {
      store.listeners.add(listener)
      return () => void store.listeners.delete(listener)
    },
    onReconnected(listener) {
      store.reconnected.add(listener)
      return () => void store.reconnected.delete(listener)
    },
    async erase(id, erasure, stops = []) {
      const found = find(id)
      if (found === undefined) return undefined
      if (found.erasure === null) eraseAll([{ ...found, ...(stops.length > 0 && { stoppedAt: erasure.at }) }], erasure)
      for (const stop of stops) await store.recordStop(stop)
      return found.erasure?.at ?? erasure.at
    },
    async eraseReceivedBefore(receivedBefore, erasure, limit) {
      const due = store.leads.filter((lead) => lead.erasure === null && lead.receivedAt < receivedBefore)
      eraseAll(due.slice(0, limit), erasure)
      return due.slice(0, limit).map(({ id }) => id)
    },
    async recordStop(stop) {
      store.stops.push({ ...stop, marked: false })
    },
    findStops: async (hashes) => store.stops.filter(({ contactHash }) => hashes.includes(contactHash)),
    stopKeyIds: async () => [...new Set(store.stops.map(({ keyId }) => keyId))],
    unmarkedStops: async (limit) => store.stops.filter(({ marked }) => !marked).slice(0, limit),
    async markStopped(ids, stop) {
      for (const id of ids) {
        const lead = find(id)
        if (lead?.erasure !== null) continue
        if (store.changes.some((each) => each.leadId === id && each.at === stop.recordedAt)) continue
        store.leads[store.leads.indexOf(lead)] = { ...lead, stoppedAt: stop.recordedAt }
        change(id, 'stopped', stop.recordedAt)
      }
      notify()
    },
    async stopMarked(stop) {
      for (const each of store.stops) {
        if (each.contactHash === stop.contactHash && each.recordedAt === stop.recordedAt) each.marked = true
      }
    },
  }
  return store
}

function toEntry(lead: StoredLead): FeedEntry {
  return { position: lead.position, id: lead.id, at: lead.receivedAt, what: 'received', lead }
}
