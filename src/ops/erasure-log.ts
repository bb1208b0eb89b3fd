import { erasureMessage } from '../inbox/record-line.ts'
import type { Erasure, InboxStore } from '../inbox/stored-lead.ts'
import type { Logger } from './log.ts'

/** Logs every erasure. After a restore, this log tells which leads must be erased again. */
export function logErasures(inbox: InboxStore, witness: Logger): InboxStore {
  const logOne = (leadId: string, { at, reason, caller }: Erasure) =>
    witness.info({ leadId, erasedAt: at, reason, caller }, erasureMessage)
  return {
    ...inbox,
    async erase(id, erasure, stops) {
      const at = await inbox.erase(id, erasure, stops)
      if (at === erasure.at) logOne(id, erasure)
      return at
    },
    async eraseReceivedBefore(receivedBefore, erasure, limit) {
      const ids = await inbox.eraseReceivedBefore(receivedBefore, erasure, limit)
      for (const id of ids) logOne(id, erasure)
      return ids
    },
  }
}
