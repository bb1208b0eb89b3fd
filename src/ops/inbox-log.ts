import { erasureLine, optOutLine } from '../inbox/records.ts'
import type { InboxStore, NewOptOut } from '../inbox/stored-lead.ts'
import type { Logger } from './log.ts'

/** Logs every opt-out and every erasure. After a restore, `npm run erasures:reapply` repeats them from this log. */
export function logRecords(inbox: InboxStore, witness: Logger): InboxStore {
  /** Also if the database has not confirmed the opt-out: the person has said no. */
  async function thenLog<T>(change: Promise<T>, optOuts: readonly NewOptOut[]): Promise<T> {
    try {
      return await change
    } finally {
      for (const optOut of optOuts) witness.info(...optOutLine(optOut))
    }
  }
  return {
    ...inbox,
    recordOptOut: (optOut) => thenLog(inbox.recordOptOut(optOut), [optOut]),
    async erase(ids, erasure, optOuts = []) {
      const erased = await thenLog(inbox.erase(ids, erasure, optOuts), optOuts)
      for (const id of erased) witness.info(...erasureLine(id, erasure))
      return erased
    },
  }
}
