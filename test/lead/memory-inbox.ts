// An inbox store in memory that obeys the contract of `InboxStore`, and tells what was asked of it.
import { randomUUIDv7 } from 'node:crypto'
import type { Erasure, FeedEntry, LeadFilter, Stop, StoredLead } from '../../src/lead/stored-lead.ts'
import type { LeadContent } from '../../src/lead/submission.ts'
import type { InboxStore } from '../../src/store/inbox.ts'
import { makeTexts } from '../support/evidence.ts'

export const noon = Date.parse('2026-11-21T12:00:00.000Z')

/** A stored lead with made-up content. */
export function storedLead(
  position: number,
  { content, ...changes }: Partial<StoredLead> & { content?: LeadContent } = {},
): StoredLead {
  const texts = makeTexts(
    content ?? {
      formType: 'quote',
      name: 'Pat Example',
      notes: `Lead ${position}`,
      communicationsConsent: true,
      consentTimestamp: '2026-11-21T11:59:00Z',
      pageUrl: 'https://www.example.com/quote',
    },
    changes.kind,
  )
  return {
    position,
    id: randomUUIDv7(),
    kind: 'quote',
    receivedAt: new Date(noon + position).toISOString(),
    ...texts,
    erasure: null,
    stoppedAt: null,
    ...changes,
  }
}

export interface MemoryInbox extends InboxStore {
  leads: StoredLead[]
  /** What has happened to leads since: places behind theirs. */
  changes: { position: number; what: 'erased' | 'stopped'; leadId: string; at: string }[]
  /** How often pages were read. */
  reads: number
  /** What the next reads reject with. */
  failure: Error | undefined
  /** Stores leads at the next positions, and says so unless `silent`. */
  add(count: number, options?: { silent?: boolean }): StoredLead[]
  listeners: Set<() => void>
  stops: Stop[]
  marked: Set<Stop>
}

function matches(lead: StoredLead, { kind, receivedAfter, receivedBefore }: LeadFilter): boolean {
  return (
    (kind === undefined || lead.kind === kind) &&
    (receivedAfter === undefined || lead.receivedAt >= receivedAfter) &&
    (receivedBefore === undefined || lead.receivedAt < receivedBefore)
  )
}

export function createMemoryInbox(): MemoryInbox {
  const nextPosition = () => Math.max(0, ...[...store.leads, ...store.changes].map(({ position }) => position)) + 1
  const announce = () => {
    for (const listener of store.listeners) listener()
  }
  const matchesWhat = (entry: FeedEntry, kind: LeadFilter['kind']) => kind === undefined || entry.lead.kind === kind

  function eraseAll(leads: StoredLead[], erasure: Erasure) {
    for (const lead of leads) {
      store.changes.push({ position: nextPosition(), what: 'erased', leadId: lead.id, at: erasure.at })
      store.leads[store.leads.indexOf(lead)] = { ...lead, personal: null, erasure }
    }
    if (leads.length > 0) announce()
  }

  /** The whole feed as it is now. */
  function feed(): FeedEntry[] {
    const received = store.leads.map((lead): FeedEntry => ({ position: lead.position, what: 'received', lead }))
    const changed = store.changes.flatMap(({ position, what, leadId }) =>
      store.leads.filter(({ id }) => id === leadId).map((lead): FeedEntry => ({ position, what, lead })),
    )
    return [...received, ...changed].sort((a, b) => a.position - b.position)
  }

  const store: MemoryInbox = {
    leads: [],
    changes: [],
    stops: [],
    marked: new Set(),
    reads: 0,
    failure: undefined,
    listeners: new Set(),
    add(count, { silent = false } = {}) {
      const first = nextPosition()
      const added = Array.from({ length: count }, (_, index) => storedLead(first + index))
      store.leads.push(...added)
      if (!silent) announce()
      return added
    },
    async readAfter(position, limit, filter = {}) {
      store.reads++
      if (store.failure !== undefined) throw store.failure
      return store.leads.filter((lead) => lead.position > position && matches(lead, filter)).slice(0, limit)
    },
    async readChanges(position, { rows, bytes }, { kind } = {}) {
      store.reads++
      if (store.failure !== undefined) throw store.failure
      const behind = feed().filter((entry) => entry.position > position && matchesWhat(entry, kind))
      let size = 0
      const entries = behind.slice(0, rows).filter(({ lead }) => {
        const fits = size < bytes
        size += Buffer.byteLength(lead.personal ?? '') + Buffer.byteLength(lead.evidence)
        return fits
      })
      const full = entries.length === rows || entries.length < behind.length || size >= bytes
      const examined = full ? (entries.at(-1)?.position ?? position) : Math.max(position, nextPosition() - 1)
      return { entries, examined, more: full }
    },
    async scanContact(position, limit, { field, value }, filter = {}) {
      const scanned = store.leads.filter((lead) => lead.position > position).slice(0, limit)
      const found = scanned.filter(
        (lead) => lead.personal !== null && JSON.parse(lead.personal).content[field] === value && matches(lead, filter),
      )
      return { leads: found, examined: scanned.at(-1)?.position ?? position, more: scanned.length === limit }
    },
    head: async () => nextPosition() - 1,
    async positionAt(time) {
      const stamped = [
        ...store.leads.map(({ position, receivedAt }) => ({ position, at: receivedAt })),
        ...store.changes,
      ]
      const places = stamped.filter(({ at }) => at >= time).map(({ position }) => position)
      return places.length === 0 ? undefined : Math.min(...places)
    },
    recordStop: async (stop) => void store.stops.push(stop),
    findStops: async (hashes) =>
      hashes.flatMap((hash) => store.stops.findLast(({ contactHash }) => contactHash === hash) ?? []),
    unmarkedStops: async (limit) => store.stops.filter((stop) => !store.marked.has(stop)).slice(0, limit),
    async markStopped(ids, { recordedAt }) {
      for (const lead of store.leads.filter(({ id, erasure }) => ids.includes(id) && erasure === null)) {
        store.changes.push({ position: nextPosition(), what: 'stopped', leadId: lead.id, at: recordedAt })
        store.leads[store.leads.indexOf(lead)] = { ...lead, stoppedAt: recordedAt }
      }
      announce()
    },
    stopMarked: async (stop) => void store.marked.add(stop),
    find: async (id) => store.leads.find((lead) => lead.id === id),
    idAt: async (position) => feed().find((entry) => entry.position === position)?.lead.id,
    onStored(listener) {
      store.listeners.add(listener)
      return () => void store.listeners.delete(listener)
    },
    async erase(id, erasure, stops = []) {
      const found = store.leads.find((lead) => lead.id === id)
      if (found === undefined) return undefined
      store.stops.push(...stops)
      if (found.erasure === null) eraseAll([found], erasure)
      return found.erasure?.at ?? erasure.at
    },
    async eraseReceivedBefore(receivedBefore, erasure, limit) {
      const due = store.leads.filter((lead) => lead.erasure === null && lead.receivedAt < receivedBefore)
      eraseAll(due.slice(0, limit), erasure)
      return due.slice(0, limit).map(({ id }) => id)
    },
  }
  return store
}
