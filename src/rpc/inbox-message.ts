import { create, type DescEnum } from '@bufbuild/protobuf'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import type { Channel as ChannelName } from '../consent/opt-outs.ts'
import * as pb from '../gen/leadintake/v1/inbox_pb.ts'
import { LeadKind, LeadKindSchema } from '../gen/leadintake/v1/lead_pb.ts'
import { invalid } from '../inbox/parse-fields.ts'
import type { OptOut } from '../inbox/stored-lead.ts'
import type { LeadKind as KindName } from '../lead/submission.ts'
import { inboxFaults } from '../words/inbox.ts'
import { toTimestamp } from './lead-message.ts'

/** The domain names values of enums as the proto files do, in lowercase. Undefined for a value of a newer version. */
const nameOf = ({ value }: DescEnum, number: number) => value[number]?.localName.toLowerCase()
const numberOf = ({ values }: DescEnum, name: string) =>
  values.find(({ localName }) => localName.toLowerCase() === name)?.number

/** Returns undefined for both kinds. */
export function toKind(kind: LeadKind): KindName | undefined {
  if (kind === LeadKind.UNSPECIFIED) return undefined
  const name = nameOf(LeadKindSchema, kind)
  // A kind of a newer version. To treat it as both kinds would return the wrong leads.
  if (name === undefined) throw invalid('kind', inboxFaults.kind)
  return name as KindName
}

export function toChannels(channels: readonly pb.Channel[]): ChannelName[] {
  const names = channels.map((channel) => channel && nameOf(pb.ChannelSchema, channel))
  if (!names.every(Boolean)) throw invalid('channels', inboxFaults.channels)
  return names as ChannelName[]
}

export function toHow(how: pb.OptOutHow): string {
  const name = nameOf(pb.OptOutHowSchema, how)
  if (name !== undefined) return name
  throw invalid('how', inboxFaults.how)
}

export function toOptOut({ name, caller, channels, saidAt, how, recordedAt, ...sameFields }: OptOut): pb.OptOut {
  return create(pb.OptOutSchema, {
    ...sameFields,
    name: name ?? '',
    caller: caller ?? '',
    channels: channels.map((name) => numberOf(pb.ChannelSchema, name) as pb.Channel),
    saidAt: toTimestamp(saidAt),
    how: (numberOf(pb.OptOutHowSchema, how) ?? pb.OptOutHow.OTHER) as pb.OptOutHow,
    recordedAt: toTimestamp(recordedAt),
  })
}

/** Milliseconds since the epoch, rounded up, since leads have whole ones. NaN for an invalid timestamp. */
export function toMs({ seconds, nanos }: Timestamp): number {
  const valid = nanos >= 0 && nanos < 1_000_000_000
  return valid ? Number(seconds) * 1_000 + Math.ceil(nanos / 1_000_000) : Number.NaN
}
