import { create, type DescEnum, type EnumShape } from '@bufbuild/protobuf'
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { decodeEvidence, decodePersonal, type Evidence, type Personal } from '../consent/evidence-texts.ts'
import { isPossibleOptOut } from '../consent/possible-opt-out.ts'
import * as inboxPb from '../gen/leadintake/v1/inbox_pb.ts'
import * as pb from '../gen/leadintake/v1/lead_pb.ts'
import { invalid } from '../inbox/parse-fields.ts'
import type { OptOut, StoredLead } from '../inbox/stored-lead.ts'
import type { LeadKind as KindName } from '../lead/submission.ts'
import { inboxFaults } from '../words/inbox.ts'

/** Converts a lead to its proto message. Content from a newer version keeps only the fields that this version knows. */
export function toLead({ id, kind, receivedAt, erasure, optedOutAt, ...lead }: StoredLead): pb.Lead {
  const personal = lead.personal === null ? undefined : decodePersonal(lead.personal)
  return create(pb.LeadSchema, {
    id,
    receivedAt: toTimestamp(receivedAt),
    kind: numberOf(pb.LeadKindSchema, kind),
    // Stored content uses the same member names as the messages.
    content: personal && { case: contentCases[kind], value: personal.content },
    erased: erasure !== null,
    erasedAt: erasure ? toTimestamp(erasure.at) : undefined,
    erasedReason: erasure ? numberOf(pb.ErasureReasonSchema, erasure.reason) : undefined,
    consent: toConsent(receivedAt, decodeEvidence(lead.evidence), personal),
    ...(optedOutAt !== null && { optedOutAt: toTimestamp(optedOutAt) }),
    optedOutChannels: toChannelNumbers(lead.optedOutChannels),
    possibleOptOut: personal !== undefined && !lead.optedOutOfAll && isPossibleOptOut(personal.content),
  })
}

/** Stored evidence uses the same member names as the message, which does not have all of them. */
function toConsent(receivedAt: string, evidence: Evidence, personal: Personal | undefined) {
  const { communicationsConsent, path, ...sameFields } = evidence
  return {
    ...sameFields,
    communicationsConsent: communicationsConsent ?? undefined,
    receivedAt: toTimestamp(receivedAt),
    clientAddress: personal?.clientAddress,
    userAgent: personal?.userAgent,
    pageUrl: personal?.content.pageUrl as string | undefined,
    path: paths[path],
  }
}

const contentCases = { quote: 'quoteRequest', support: 'contactMessage' } as const
const { REST_V1, REST_LEGACY, RPC } = pb.SubmissionPath
const paths = { 'rest-v1': REST_V1, 'rest-legacy': REST_LEGACY, rpc: RPC }

export const toTimestamp = (iso: string): Timestamp => timestampFromMs(Date.parse(iso))

/** The domain names values of enums as the proto files do, in lowercase. Throws for a value of a newer version. */
function nameOf({ value }: DescEnum, number: number, field: 'kind' | 'channels' | 'how'): string {
  const name = value[number]?.localName.toLowerCase()
  if (name === undefined) throw invalid(field, inboxFaults[field])
  return name
}

function numberOf<Enum extends DescEnum>({ values }: Enum, name: string) {
  return values.find(({ localName }) => localName.toLowerCase() === name)?.number as EnumShape<Enum> | undefined
}

/** Undefined for both kinds. */
export const toKind = (kind: pb.LeadKind) => (kind ? (nameOf(pb.LeadKindSchema, kind, 'kind') as KindName) : undefined)

export const toHow = (how: inboxPb.OptOutHow) => nameOf(inboxPb.OptOutHowSchema, how, 'how')

/** None means all of them, so `UNSPECIFIED` among them is a mistake. */
export const toChannels = (channels: readonly pb.Channel[]) =>
  channels.map((channel) => nameOf(pb.ChannelSchema, channel || -1, 'channels'))

const toChannelNumbers = (names: readonly string[]) =>
  names.map((name) => numberOf(pb.ChannelSchema, name) as pb.Channel)

export function toOptOut({ name, caller, channels, saidAt, how, recordedAt, ...sameFields }: OptOut): inboxPb.OptOut {
  return create(inboxPb.OptOutSchema, {
    ...sameFields,
    name: name ?? '',
    caller: caller ?? '',
    channels: toChannelNumbers(channels),
    saidAt: toTimestamp(saidAt),
    how: numberOf(inboxPb.OptOutHowSchema, how) ?? inboxPb.OptOutHow.OTHER,
    recordedAt: toTimestamp(recordedAt),
  })
}

/** The range of a `google.protobuf.Timestamp`. Some platforms send its last instant for "no end". */
const firstSecond = -62_135_596_800n
const lastSecond = 253_402_300_799n

/** RFC 3339 in UTC with milliseconds, rounded up, since leads have whole ones. */
export function toTime(field: string, timestamp: Timestamp | undefined): string | undefined {
  if (timestamp === undefined) return undefined
  const { seconds, nanos } = timestamp
  if (nanos < 0 || nanos >= 1_000_000_000 || seconds < firstSecond || seconds > lastSecond)
    throw invalid(field, inboxFaults.time)
  const ms = Math.min(Math.ceil(nanos / 1_000_000), seconds === lastSecond ? 999 : 1_000)
  return new Date(Number(seconds) * 1_000 + ms).toISOString()
}
