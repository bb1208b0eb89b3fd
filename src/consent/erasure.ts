import { setTimeout } from 'node:timers/promises'
import type { Inbox } from '../inbox/inbox.ts'
import type { InboxStore } from '../inbox/stored-lead.ts'
import { LeadError } from '../lead/error.ts'
import type { OptOuts } from './opt-outs.ts'

export type Erase = ReturnType<typeof createErase>

/**
 * Erases the personal data of a lead by request. With `optOut`, also records that the person refuses all contact.
 * Returns when the lead was erased, which may have been earlier. Rejects with a `LeadError`.
 */
export function createErase(store: InboxStore, getLead: Inbox['get'], optOuts: OptOuts, now: () => number) {
  return async (id: string, { optOut, caller = null }: { optOut: boolean; caller: string | null | undefined }) => {
    const at = new Date(now()).toISOString()
    const lead = await getLead(id)
    if (lead.erasure === null) {
      const recorded = optOut ? await optOuts.ofLead(lead, at, 'erasure', caller) : []
      const [erased] = await store.erase([lead.id], { at, reason: 'request', caller }, recorded)
      // Another call may have erased it meanwhile.
      return erased === undefined ? ((await getLead(id)).erasure?.at ?? at) : at
    }
    const erasedAt = lead.erasure.at
    // It is no longer known whose lead it was. An older opt-out does not count.
    if (!optOut || (lead.optedOutAt !== null && (await optOuts.hasErasureAt(erasedAt)))) return erasedAt
    throw new LeadError('failed_precondition')
  }
}

const dayMs = 86_400_000

/** Five years, in days with two leap days: how long the FTC requires proof of consent to be kept (16 CFR 310.5). */
export const evidenceDays = 1_827

/** Leads per read. If that many in a row have a time that is too late, older ones after them are missed. */
const readMax = 2_000
/** Leads per transaction: few, so that new leads wait only briefly behind an erasure. */
const batchMax = 200
/** The pause between two batches, in milliseconds. A first run may find millions of leads. */
const pauseMs = 500

/**
 * Creates the task that erases all leads older than `days`, and returns how many. `now` is in milliseconds since the
 * epoch, or undefined while the clock may be wrong: then nothing is erased.
 */
export function createRetention(store: InboxStore, now: () => Promise<number | undefined>, days: number) {
  return async (signal: AbortSignal): Promise<number> => {
    let count = 0
    let position = 0
    while (!signal.aborted) {
      const nowMs = await now()
      if (nowMs === undefined) break
      const receivedBefore = new Date(nowMs - days * dayMs).toISOString()
      const leads = await store.readAges(position, readMax)
      position = leads.at(-1)?.position ?? position
      const old = leads.filter(({ receivedAt }) => receivedAt < receivedBefore)
      if (old.length === 0) break
      const due = old.flatMap(({ id, erased }) => (erased === 0 ? id : []))
      for (let start = 0; start < due.length && !signal.aborted; start += batchMax) {
        const erasure = { at: new Date(nowMs).toISOString(), reason: 'retention', caller: null } as const
        count += (await store.erase(due.slice(start, start + batchMax), erasure)).length
        await setTimeout(pauseMs, undefined, { signal }).catch(() => {})
      }
    }
    return count
  }
}
