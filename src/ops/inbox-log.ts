import { erasureMessage, optOutMessage } from '../inbox/log-lines.ts'
import type { InboxStore, NewOptOut } from '../inbox/stored-lead.ts'
import type { Logger } from './log.ts'

/** Logs every opt-out and every erasure. After a restore, `npm run erasures:reapply` repeats them from this log. */
export function logRecords(inbox: InboxStore, witness: Logger): InboxStore {
  /** Without the contact itself. Also if the database has not confirmed the opt-out: the person has said no. */
  async function thenLog<T>(change: Promise<T>, optOuts: readonly NewOptOut[]): Promise<T> {
    try {
      return await change
    } finally {
      for (const { contact: _, ...optOut } of optOuts) witness.info(optOut, optOutMessage)
    }
  }
  return {
    ...inbox,
    recordOptOut: (optOut) => thenLog(inbox.recordOptOut(optOut), [optOut]),
    async erase(leads, erasure, optOuts = []) {
      const ids = new Set(await thenLog(inbox.erase(leads, erasure, optOuts), optOuts))
      const { at, reason, caller } = erasure
      for (const { id, optedOutAt } of leads) {
        if (!ids.has(id)) continue
        const optOut = optOuts.length > 0 ? { optOut: true } : optedOutAt && { optedOutAt }
        witness.info({ leadId: id, erasedAt: at, reason, caller, ...optOut }, erasureMessage)
      }
      return [...ids]
    },
  }
}
