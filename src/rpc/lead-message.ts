import { create } from '@bufbuild/protobuf'
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { decodeEvidence, decodePersonal, type Evidence, type Personal } from '../consent/evidence-texts.ts'
import { isPossibleOptOut } from '../consent/possible-opt-out.ts'
import * as pb from '../gen/leadintake/v1/lead_pb.ts'
import type { StoredLead } from '../inbox/stored-lead.ts'

/** Converts a lead to its proto message. Content from a newer version keeps only the fields that this version knows. */
export function toLead({ id, kind, receivedAt, erasure, optedOutAt, ...lead }: StoredLead): pb.Lead {
  const personal = lead.personal === null ? undefined : decodePersonal(lead.personal)
  return create(pb.LeadSchema, {
    id,
    receivedAt: toTimestamp(receivedAt),
    kind: kind === 'quote' ? pb.LeadKind.QUOTE : pb.LeadKind.SUPPORT,
    content: personal === undefined ? { case: undefined } : toContent(kind, personal.content),
    erased: erasure !== null,
    ...(erasure && { erasedAt: toTimestamp(erasure.at), erasedReason: erasureReasons[erasure.reason] }),
    consent: toConsent(receivedAt, decodeEvidence(lead.evidence), personal),
    ...(optedOutAt !== null && { optedOutAt: toTimestamp(optedOutAt) }),
    possibleOptOut: personal !== undefined && lead.optedOutOfAll === 0 && isPossibleOptOut(personal.content),
  })
}

/** Stored content uses the same member names as the messages. */
function toContent(kind: StoredLead['kind'], values: Personal['content']): pb.Lead['content'] {
  return kind === 'quote'
    ? { case: 'quoteRequest', value: create(pb.QuoteRequestSchema, values) }
    : { case: 'contactMessage', value: create(pb.ContactMessageSchema, values) }
}

/** Stored evidence uses the same member names as the message, which does not have all of them. */
function toConsent(receivedAt: string, evidence: Evidence, personal: Personal | undefined): pb.ConsentRecord {
  const { communicationsConsent, path, ...sameFields } = evidence
  return create(pb.ConsentRecordSchema, {
    ...sameFields,
    communicationsConsent: communicationsConsent ?? undefined,
    receivedAt: toTimestamp(receivedAt),
    clientAddress: personal?.clientAddress,
    userAgent: personal?.userAgent,
    pageUrl: personal?.content.pageUrl as string | undefined,
    path: paths[path],
  })
}

const erasureReasons = { request: pb.ErasureReason.REQUEST, retention: pb.ErasureReason.RETENTION }

const { REST_V1, REST_LEGACY, RPC } = pb.SubmissionPath
const paths = { 'rest-v1': REST_V1, 'rest-legacy': REST_LEGACY, rpc: RPC }

export const toTimestamp = (iso: string): Timestamp => timestampFromMs(Date.parse(iso))
