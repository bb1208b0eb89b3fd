import { erasureMessage } from '../inbox/record-line.ts'
import type { InboxStore } from '../inbox/stored-lead.ts'
import type { Logger } from './log.ts'

/** Logs every erasure. After a restore, this log tells which leads must be erased again, and whose stops recorded. */
export function logErasures(inbox: InboxStore, witness: Logger): InboxStore {
  return {
    ...inbox,
    async erase(leads, erasure, stops = []) {
      const ids = new Set(await inbox.erase(leads, erasure, stops))
      const { at, reason, caller } = erasure
      for (const { id, stoppedAt } of leads) {
        if (!ids.has(id)) continue
        const stop = stops.length > 0 ? { stop: true } : stoppedAt && { stoppedAt }
        witness.info({ leadId: id, erasedAt: at, reason, caller, ...stop }, erasureMessage)
      }
      return [...ids]
    },
  }
}
