import type { ServiceImpl } from '@connectrpc/connect'
import type { Erase } from '../consent/erasure.ts'
import type { OptOuts } from '../consent/opt-outs.ts'
import type { LeadInboxService } from '../gen/leadintake/v1/inbox_pb.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { toChannels, toHow, toKind, toLead, toOptOut, toTime, toTimestamp } from './messages.ts'
import { callKey } from './request.ts'

/** What the log says at the start and the end of a stream. `leads` is the number of messages with a lead. */
export type StreamFacts = { requestId: string; consumer: string; leads?: number; seconds?: number }

/** `LeadInboxService` (docs/specification.md §8). Only converts between messages and use cases. */
export function createInboxService(
  { inbox, optOuts, erase }: { inbox: Inbox; optOuts: OptOuts; erase: Erase },
  logStream: (facts: StreamFacts, event: string) => void,
  business: string,
): ServiceImpl<typeof LeadInboxService> {
  return {
    async listLeads(input) {
      const receivedAfter = toTime('receivedAfter', input.receivedAfter)
      const receivedBefore = toTime('receivedBefore', input.receivedBefore)
      const page = await inbox.list({ ...input, kind: toKind(input.kind), receivedAfter, receivedBefore })
      return { ...page, leads: page.leads.map(toLead) }
    },

    async *watchLeads({ cursor, startTime, startNow, kind, consumer }, context) {
      const input = { cursor, startTime: toTime('startTime', startTime), startNow, kind: toKind(kind), consumer }
      const messages = await inbox.watch(input, context.signal)
      const stream = { requestId: context.values.get(callKey).requestId, consumer }
      const startedMs = performance.now()
      let leads = 0
      logStream(stream, 'feed opened')
      try {
        for await (const { lead, cursor } of messages) {
          if (lead !== undefined) leads++
          yield lead === undefined ? { cursor, caughtUp: true } : { lead: toLead(lead), cursor }
        }
      } finally {
        logStream({ ...stream, leads, seconds: (performance.now() - startedMs) / 1_000 }, 'feed closed')
      }
    },

    getLead: async ({ id }) => ({ lead: toLead(await inbox.get(id)) }),

    async eraseLead({ id, optOut }, context) {
      const erasedAt = await erase(id, { optOut, caller: context.values.get(callKey).caller })
      return { erasedAt: toTimestamp(erasedAt) }
    },

    async recordOptOut({ contact, name, channels, saidAt, how }, context) {
      const input = { contact, name, saidAt: toTime('saidAt', saidAt), how: toHow(how), channels: toChannels(channels) }
      const recordedAt = await optOuts.record(input, context.values.get(callKey).caller)
      return { recordedAt: toTimestamp(recordedAt) }
    },

    findOptOuts: async ({ contact }) => ({ optOuts: (await optOuts.find(contact)).map(toOptOut), business }),

    async listOptOuts({ pageToken }) {
      const page = await optOuts.list(pageToken)
      return { ...page, optOuts: page.optOuts.map(toOptOut) }
    },
  }
}
