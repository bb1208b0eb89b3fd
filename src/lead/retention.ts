import type { LeadEraser } from './stored-lead.ts'

const dayMs = 86_400_000

/** Five years: how long the FTC wants consent to be shown (16 CFR 310.5). A shorter retention is warned about. */
export const evidenceDays = 1_825

/** Small, so that leads that are being stored meanwhile wait for a moment only. */
const batchMax = 200

export interface RetentionOptions {
  store: LeadEraser
  /** Milliseconds since the epoch. */
  now: () => number
  /** How old, in days, the personal data of a lead may become. */
  days: number
}

/**
 * Erases what is too old, batch by batch, until nothing is left, another replica is at it, or the signal is aborted.
 * Gives the number of leads erased; rejects with what the store rejects with.
 */
export function createRetention({ store, now, days }: RetentionOptions): (signal: AbortSignal) => Promise<number> {
  return async (signal) => {
    let erased = 0
    while (!signal.aborted) {
      const nowMs = now()
      const receivedBefore = new Date(nowMs - days * dayMs).toISOString()
      const erasure = { at: new Date(nowMs).toISOString(), reason: 'retention', caller: null } as const
      const ids = await store.eraseReceivedBefore(receivedBefore, erasure, batchMax)
      erased += ids?.length ?? 0
      if (ids === undefined || ids.length < batchMax) break
    }
    return erased
  }
}
