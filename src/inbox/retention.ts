import { setTimeout } from 'node:timers/promises'
import type { InboxStore } from './stored-lead.ts'

const dayMs = 86_400_000

/** Five years, in days: how long the FTC requires proof of consent to be kept (16 CFR 310.5). */
export const evidenceDays = 1_825

/** Leads per transaction. Few, so that new leads wait only briefly behind an erasure. */
const batchMax = 200

/** The pause between two batches, in milliseconds. A first run may find millions of leads. */
const pauseMs = 500

/**
 * Creates the task that erases leads of more than `days` days in batches, until none are left, and returns how many it
 * has erased. `now` is in milliseconds since the epoch.
 */
export function createRetention({ store, now, days }: { store: InboxStore; now: () => number; days: number }) {
  /** All leads up to this position are erased, so they are not read again. */
  let erasedUpTo = 0
  // A standby that was promoted may not have the last erasures.
  store.onReconnected(() => {
    erasedUpTo = 0
  })

  return async (signal: AbortSignal): Promise<number> => {
    let count = 0
    let position = erasedUpTo
    while (!signal.aborted) {
      const nowMs = now()
      const receivedBefore = new Date(nowMs - days * dayMs).toISOString()
      const leads = await store.readAges(position, batchMax)
      const firstKept = leads.find(({ erased }) => erased === 0)
      const last = leads.at(-1)?.position ?? position
      if (position === erasedUpTo) erasedUpTo = firstKept ? firstKept.position - 1 : last
      position = last
      const old = leads.filter(({ receivedAt }) => receivedAt < receivedBefore)
      // All of them: clocks of replicas differ, so a single young lead proves nothing.
      if (old.length === 0) break
      const due = old.flatMap(({ id, erased }) => (erased === 0 ? id : []))
      if (due.length === 0) continue
      const at = new Date(nowMs).toISOString()
      count += (await store.erase(due, { at, reason: 'retention', caller: null })).length
      await setTimeout(pauseMs, undefined, { signal }).catch(() => {})
    }
    return count
  }
}
