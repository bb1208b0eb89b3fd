import type { InboxStore, StoredLead } from '../inbox/stored-lead.ts'
import { LeadError } from '../lead/error.ts'
import { situations } from '../words/problems.ts'
import type { OptOuts } from './opt-outs.ts'

interface EraseOptions {
  store: Pick<InboxStore, 'erase'>
  /** Rejects with `lead_not_found`. */
  getLead(id: string): Promise<StoredLead>
  optOuts: Pick<OptOuts, 'ofLead'>
  /** In milliseconds since the epoch. */
  now(): number
}

export type Erase = ReturnType<typeof createErase>

/**
 * Erases the personal data of a lead by request. With `optOut`, also records that the person does not want to be
 * contacted. Returns when the lead was erased, which may have been earlier. Rejects with a `LeadError`.
 */
export function createErase({ store, getLead, optOuts, now }: EraseOptions) {
  return async (id: string, { optOut, caller = null }: { optOut: boolean; caller: string | null | undefined }) => {
    const at = new Date(now()).toISOString()
    const lead = await getLead(id)
    if (lead.erasure === null) {
      const recorded = optOut ? await optOuts.ofLead(lead, at, 'erasure', caller) : []
      const [erased] = await store.erase([lead.id], { at, reason: 'request', caller }, recorded)
      // Another call may have erased it meanwhile.
      return erased === undefined ? ((await getLead(id)).erasure?.at ?? at) : at
    }
    // It is no longer known whose lead it was. An older opt-out does not count.
    if (!optOut || lead.optedOutAt === lead.erasure.at) return lead.erasure.at
    throw new LeadError('failed_precondition', { detail: situations.erased_before })
  }
}
