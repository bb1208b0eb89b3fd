import { erasureLine, optOutLine } from '../inbox/restore-lines.ts'
import type { InboxStore } from '../inbox/stored-lead.ts'
import type { Logger } from './log.ts'

/**
 * Logs every opt-out and erasure before it is made, so that none can be committed without its line. After a restore,
 * `npm run erasures:reapply` repeats them from this log. A reader of the log that has stalled delays them by a second.
 */
export function logRecords(inbox: InboxStore, witness: Logger): InboxStore {
  const linesWritten = () => new Promise<void>((resolve) => witness.flush(() => resolve()))
  return {
    ...inbox,
    async recordOptOut(optOut) {
      witness.info(...optOutLine(optOut))
      await linesWritten()
      return inbox.recordOptOut(optOut)
    },
    async erase(ids, erasure, optOuts = []) {
      for (const optOut of optOuts) witness.info(...optOutLine(optOut))
      for (const id of ids) witness.info(...erasureLine(id, erasure))
      await linesWritten()
      return inbox.erase(ids, erasure, optOuts)
    },
  }
}
