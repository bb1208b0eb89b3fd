import { setTimeout } from 'node:timers/promises'
import type { InboxStore } from './stored-lead.ts'

const dayMs = 86_400_000

/** Five years, in days: how long the FTC requires proof of consent to be kept (16 CFR 310.5). */
export const evidenceDays = 1_825

/** Leads per transaction. Few, so that new leads wait only briefly behind an erasure. */
const batchMax = 200

/** The pause between two batches, in milliseconds. A first run may find millions of leads. */
const pauseMs = 500

export interface RetentionOptions {
  store: InboxStore
  /** Milliseconds since the epoch. */
  now: () => number
  /** The maximum age of a lead's personal data, in days. */
  days: number
}

/** Creates the task that erases overdue leads in batches, until none are left, and returns how many it has erased. */
export function createRetention({ store, now, days }: RetentionOptions) {
  return async (signal: AbortSignal): Promise<number> => {
    let erased = 0
    while (!signal.aborted) {
      const nowMs = now()
      const receivedBefore = new Date(nowMs - days * dayMs).toISOString()
      const erasure = { at: new Date(nowMs).toISOString(), reason: 'retention', caller: null } as const
      const ids = await store.erase(await store.findOverdue(receivedBefore, batchMax), erasure)
      erased += ids.length
      // Fewer than a batch: none are left, or another replica has erased some.
      if (ids.length < batchMax) break
      await setTimeout(pauseMs, undefined, { signal }).catch(() => {})
    }
    return erased
  }
}
