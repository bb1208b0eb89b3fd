import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { LeadInboxService } from '../gen/leadintake/v1/inbox_pb.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { callKey } from './call.ts'
import { toChannels, toHow, toKind, toMs, toOptOut } from './inbox-message.ts'
import { toLead, toTimestamp } from './lead-message.ts'

/** Facts about one stream of the feed, for the log. */
export interface StreamFacts {
  requestId: string
  /** The name that the consumer gave itself. Empty: none given. */
  consumer: string
}

export interface InboxServiceOptions {
  onStreamOpened?(stream: StreamFacts): void
  /** `leads` counts the messages that contain a lead. */
  onStreamClosed?(stream: StreamFacts & { leads: number; seconds: number }): void
}

/** `LeadInboxService` (docs/specification.md §8): only converts between messages and use cases. */
export function createInboxService(
  inbox: Inbox,
  { onStreamOpened, onStreamClosed }: InboxServiceOptions = {},
): ServiceImpl<typeof LeadInboxService> {
  return {
    async listLeads({ pageSize, pageToken, kind, receivedAfter, receivedBefore, contact }, context) {
      const input = {
        pageSize,
        pageToken,
        kind: toKind(kind),
        receivedAfterMs: receivedAfter && toMs(receivedAfter),
        receivedBeforeMs: receivedBefore && toMs(receivedBefore),
        contact,
      }
      const { leads, nextPageToken, cursor } = await inbox.list(input)
      context.responseHeader.set('cache-control', 'no-store')
      return { leads: leads.map(toLead), nextPageToken, cursor }
    },

    async *watchLeads({ cursor, startTime, startNow, kind, consumer }, context) {
      const startTimeMs = startTime && toMs(startTime)
      const input = { cursor, startTimeMs, startNow, kind: toKind(kind), consumer }
      const messages = await inbox.watch(input, context.signal)
      const stream = { requestId: context.values.get(callKey).requestId, consumer }
      const startedMs = performance.now()
      let leads = 0
      onStreamOpened?.(stream)
      try {
        for await (const { lead, cursor } of messages) {
          if (lead !== undefined) leads++
          yield lead === undefined ? { cursor, caughtUp: true } : { lead: toLead(lead), cursor }
        }
      } finally {
        onStreamClosed?.({ ...stream, leads, seconds: (performance.now() - startedMs) / 1_000 })
      }
    },

    async getLead({ id }, context) {
      const lead = await inbox.get(id)
      context.responseHeader.set('cache-control', 'no-store')
      return { lead: toLead(lead) }
    },

    async eraseLead({ id, optOut }, context) {
      const erasedAt = await inbox.erase(id, { optOut, caller: callerOf(context) })
      return { erasedAt: toTimestamp(erasedAt) }
    },

    async recordOptOut({ contact, name, channels, saidAt, how }, context) {
      const input = { contact, name, channels: toChannels(channels), saidAtMs: saidAt && toMs(saidAt), how: toHow(how) }
      const recordedAt = await inbox.recordOptOut(input, callerOf(context))
      return { recordedAt: toTimestamp(recordedAt) }
    },

    async findOptOuts({ contact }, context) {
      const optOuts = await inbox.findOptOuts(contact)
      context.responseHeader.set('cache-control', 'no-store')
      return { optOuts: optOuts.map(toOptOut) }
    },

    async listOptOuts({ pageToken }, context) {
      const { optOuts, nextPageToken } = await inbox.listOptOuts(pageToken)
      context.responseHeader.set('cache-control', 'no-store')
      return { optOuts: optOuts.map(toOptOut), nextPageToken }
    },
  }
}

/** The name in the caller's certificate. Undefined without certificates. */
function callerOf({ values }: HandlerContext): string | undefined {
  return values.get(callKey).caller
}
