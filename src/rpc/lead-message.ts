import { create } from '@bufbuild/protobuf'
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { decodeEvidence, decodePersonal, type Evidence, type Personal } from '../consent/evidence-texts.ts'
import { isPossibleOptOut } from '../consent/possible-opt-out.ts'
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
import type { StoredLead } from '../inbox/stored-lead.ts'

/** Converts a lead to its proto message. Content from a newer version keeps only the fields that this version knows. */
export function toLead({
  id,
  kind,
  receivedAt,
  personal: text,
  evidence,
  erasure,
  optedOutAt,
  optedOutOfAll,
}: StoredLead): Lead {
  const personal = text === null ? undefined : decodePersonal(text)
  return create(LeadSchema, {
    id,
    receivedAt: toTimestamp(receivedAt),
    kind: kind === 'quote' ? LeadKind.QUOTE : LeadKind.SUPPORT,
    content: personal === undefined ? { case: undefined } : toContent(kind, personal.content),
    erased: erasure !== null,
    ...(erasure && { erasedAt: toTimestamp(erasure.at), erasedReason: erasureReasons[erasure.reason] }),
    consent: toConsent(receivedAt, decodeEvidence(evidence), personal),
    ...(optedOutAt !== null && { optedOutAt: toTimestamp(optedOutAt) }),
    possibleOptOut: personal !== undefined && optedOutOfAll === 0 && isPossibleOptOut(personal.content),
  })
}

/** Stored content uses the same member names as the messages. */
function toContent(kind: StoredLead['kind'], values: Personal['content']): Lead['content'] {
  return kind === 'quote'
    ? { case: 'quoteRequest', value: create(QuoteRequestSchema, values) }
    : { case: 'contactMessage', value: create(ContactMessageSchema, values) }
}

/** Stored evidence uses the same member names as the message, which does not have all of them. */
function toConsent(receivedAt: string, evidence: Evidence, personal: Personal | undefined): ConsentRecord {
  const { communicationsConsent, path, ...sameFields } = evidence
  return create(ConsentRecordSchema, {
    ...sameFields,
    communicationsConsent: communicationsConsent ?? undefined,
    receivedAt: toTimestamp(receivedAt),
    clientAddress: personal?.clientAddress,
    userAgent: personal?.userAgent,
    pageUrl: personal?.content.pageUrl as string | undefined,
    path: paths[path],
  })
}

const erasureReasons = { request: ErasureReason.REQUEST, retention: ErasureReason.RETENTION }

const paths: Record<Evidence['path'], SubmissionPath> = {
  'rest-v1': SubmissionPath.REST_V1,
  'rest-legacy': SubmissionPath.REST_LEGACY,
  rpc: SubmissionPath.RPC,
}

export const toTimestamp = (iso: string): Timestamp => timestampFromMs(Date.parse(iso))
