import { create } from '@bufbuild/protobuf'
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import type { LeadInboxService } from '../gen/leadintake/v1/inbox_pb.ts'
import {
  type ConsentRecord,
  ConsentRecordSchema,
  ContactMessageSchema,
  ErasureReason,
  type Lead,
  LeadKind,
  LeadSchema,
  QuoteRequestSchema,
  SubmissionPath,
} from '../gen/leadintake/v1/lead_pb.ts'
import { LeadError } from '../lead/error.ts'
import { type Evidence, type Personal, readEvidence, readPersonal } from '../lead/evidence.ts'
import type { Inbox } from '../lead/inbox.ts'
import { faultOf } from '../lead/rules.ts'
import type { StoredLead } from '../lead/stored-lead.ts'
import { callKey } from './call.ts'
import { withinDeadline } from './deadline.ts'

/** `LeadInboxService` (contract §8): messages to and from the use cases, and nothing else. */
export function createInboxService(inbox: Inbox): ServiceImpl<typeof LeadInboxService> {
  return {
    async listLeads({ pageSize, pageToken, kind, receivedAfter, receivedBefore }, context) {
      const input = {
        pageSize,
        pageToken,
        kind: readKind(kind),
        receivedAfterMs: receivedAfter && readTime(receivedAfter),
        receivedBeforeMs: receivedBefore && readTime(receivedBefore),
      }
      const { leads, nextPageToken } = await withinDeadline(context, inbox.list(input))
      context.responseHeader.set('cache-control', 'no-store')
      return { leads: leads.map(toLead), nextPageToken }
    },

    async *watchLeads({ cursor }, { signal }) {
      for await (const watched of inbox.watch(cursor, signal)) {
        yield { lead: toLead(watched.lead), cursor: watched.cursor }
      }
    },

    async getLead({ id }, context) {
      const lead = await withinDeadline(context, inbox.get(id))
      context.responseHeader.set('cache-control', 'no-store')
      return { lead: toLead(lead) }
    },

    async eraseLead({ id }, context) {
      const erasedAt = await withinDeadline(context, inbox.erase(id, context.values.get(callKey).caller))
      return { erasedAt: toTimestamp(erasedAt) }
    },

    recordStop() {
      throw new ConnectError('stops are not recorded yet', Code.Unimplemented)
    },
  }
}

/** A lead as the proto file has it. Content that was stored by a newer version is shown as far as this one knows it. */
export function toLead({ id, kind, receivedAt, personal: text, evidence, erasure, stoppedAt }: StoredLead): Lead {
  const personal = text === null ? undefined : readPersonal(text)
  return create(LeadSchema, {
    id,
    receivedAt: toTimestamp(receivedAt),
    kind: kind === 'quote' ? LeadKind.QUOTE : LeadKind.SUPPORT,
    content: personal === undefined ? { case: undefined } : toContent(kind, personal.content),
    erased: erasure !== null,
    ...(erasure && { erasedAt: toTimestamp(erasure.at), erasedReason: erasureReasons[erasure.reason] }),
    consent: toConsent(receivedAt, readEvidence(evidence), personal),
    ...(stoppedAt !== null && { stoppedAt: toTimestamp(stoppedAt) }),
  })
}

/** The members of a stored content have the names of the messages' fields. */
function toContent(kind: StoredLead['kind'], values: Personal['content']): Lead['content'] {
  return kind === 'quote'
    ? { case: 'quoteRequest', value: create(QuoteRequestSchema, values) }
    : { case: 'contactMessage', value: create(ContactMessageSchema, values) }
}

/** The members of an evidence have the names of the message's fields. */
function toConsent(receivedAt: string, evidence: Evidence, personal: Personal | undefined): ConsentRecord {
  const { communicationsConsent, path, ...same } = evidence
  const { clientAddress, userAgent, content } = personal ?? {}
  return create(ConsentRecordSchema, {
    ...same,
    communicationsConsent: communicationsConsent ?? undefined,
    receivedAt: toTimestamp(receivedAt),
    clientAddress,
    userAgent,
    pageUrl: content?.pageUrl as string | undefined,
    path: paths[path],
  })
}

const erasureReasons = { request: ErasureReason.REQUEST, retention: ErasureReason.RETENTION } as const

const paths = {
  'rest-v1': SubmissionPath.REST_V1,
  'rest-legacy': SubmissionPath.REST_LEGACY,
  rpc: SubmissionPath.RPC,
} as const satisfies Record<Evidence['path'], SubmissionPath>

function toTimestamp(iso: string): Timestamp {
  return timestampFromMs(Date.parse(iso))
}

function readKind(kind: LeadKind): StoredLead['kind'] | undefined {
  switch (kind) {
    case LeadKind.UNSPECIFIED:
      return undefined
    case LeadKind.QUOTE:
      return 'quote'
    case LeadKind.SUPPORT:
      return 'support'
    default:
      // A kind of a newer version: to answer as if none had been asked for would be wrong.
      throw new LeadError('invalid_argument', 'kind is not one that this version knows.', { faults: [unknownKind] })
  }
}

const unknownKind = faultOf('kind', 'invalid_value', {
  detail: 'must be LEAD_KIND_QUOTE, LEAD_KIND_SUPPORT or unspecified',
  hint: 'Leave kind out for both kinds.',
})

/**
 * Whole milliseconds since the epoch; NaN for a timestamp that is none. Leads are received at whole milliseconds, so a
 * bound between two of them means the same as the later one.
 */
function readTime({ seconds, nanos }: Timestamp): number {
  const valid = nanos >= 0 && nanos < 1_000_000_000
  return valid ? Number(seconds) * 1_000 + Math.ceil(nanos / 1_000_000) : Number.NaN
}
