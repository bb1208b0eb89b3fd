import { erasureMessage, stopMessage } from '../inbox/log-lines.ts'
import type { InboxStore, NewStop } from '../inbox/stored-lead.ts'
import type { Logger } from './log.ts'

/** Logs every stop and every erasure. After a restore, `npm run erasures:reapply` repeats them from this log. */
export function logRecords(inbox: InboxStore, witness: Logger): InboxStore {
  /** Without the contact itself. Also if the database has not confirmed the stop: the person has said no. */
  async function thenLog<T>(change: Promise<T>, stops: readonly NewStop[]): Promise<T> {
    try {
      return await change
    } finally {
      for (const { contact: _, ...stop } of stops) witness.info(stop, stopMessage)
    }
  }
  return {
    ...inbox,
    recordStop: (stop) => thenLog(inbox.recordStop(stop), [stop]),
    async erase(leads, erasure, stops = []) {
      const ids = new Set(await thenLog(inbox.erase(leads, erasure, stops), stops))
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
