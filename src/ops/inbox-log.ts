import { erasureLine, optOutLine } from '../inbox/restore-lines.ts'
import type { InboxStore } from '../inbox/stored-lead.ts'
import type { Logger } from './log.ts'

/**
 * Logs every opt-out and erasure before it is made, so that none can be committed without its line. After a restore,
 * `npm run erasures:reapply` repeats them from this log.
 */
export function logRecords(inbox: InboxStore, witness: Logger): InboxStore {
  return {
    ...inbox,
    recordOptOut(optOut) {
      witness.info(...optOutLine(optOut))
      witness.flush()
      return inbox.recordOptOut(optOut)
    },
    erase(ids, erasure, optOuts = []) {
      for (const optOut of optOuts) witness.info(...optOutLine(optOut))
      for (const id of ids) witness.info(...erasureLine(id, erasure))
      witness.flush()
      return inbox.erase(ids, erasure, optOuts)
    },
  }
}
