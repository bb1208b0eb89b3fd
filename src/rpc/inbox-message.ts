import { create, type DescEnum } from '@bufbuild/protobuf'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { Channel, ChannelSchema, type Stop, StopHow, StopHowSchema, StopSchema } from '../gen/leadintake/v1/inbox_pb.ts'
import { LeadKind } from '../gen/leadintake/v1/lead_pb.ts'
import { invalid } from '../inbox/parse-fields.ts'
import type { Channel as ChannelName } from '../inbox/stops.ts'
import type { Stop as StoredStop } from '../inbox/stored-lead.ts'
import type { LeadKind as KindName } from '../lead/submission.ts'
import { toTimestamp } from './lead-message.ts'

/** Undefined: both kinds. */
export function toKind(kind: LeadKind): KindName | undefined {
  if (kind === LeadKind.UNSPECIFIED) return undefined
  const name = kindNames[kind]
  // A kind from a newer version. Treating it as "both kinds" would return wrong leads.
  if (name !== undefined) return name
  const names = 'must be LEAD_KIND_QUOTE, LEAD_KIND_SUPPORT or unspecified'
  throw invalid('kind', names, 'Leave kind out for both kinds.')
}

const kindNames: Partial<Record<LeadKind, KindName>> = { [LeadKind.QUOTE]: 'quote', [LeadKind.SUPPORT]: 'support' }

export function toChannels(channels: readonly Channel[]): ChannelName[] {
  return channels.map((channel) => {
    const name = channelNames[channel]
    if (name !== undefined) return name
    const names = 'must each be CHANNEL_PHONE, CHANNEL_TEXT or CHANNEL_EMAIL'
    throw invalid('channels', names, 'Leave channels out for all of them.')
  })
}

const channelNames: Partial<Record<Channel, ChannelName>> = {
  [Channel.PHONE]: 'phone',
  [Channel.TEXT]: 'text',
  [Channel.EMAIL]: 'email',
}

export function toHow(how: StopHow): string {
  const name = StopHowSchema.value[how]?.localName.toLowerCase()
  if (name !== undefined) return name
  throw invalid('how', 'must be a known StopHow', 'Send STOP_HOW_OTHER for another way.')
}

/** Converts a stop to its proto message. */
export function toStop({ channels, saidAt, how, recordedAt }: StoredStop): Stop {
  const numberOf = ({ values }: DescEnum, name: string) =>
    values.find(({ localName }) => localName.toLowerCase() === name)?.number
  return create(StopSchema, {
    channels: channels.map((name) => numberOf(ChannelSchema, name) as Channel),
    saidAt: toTimestamp(saidAt),
    how: (numberOf(StopHowSchema, how) ?? StopHow.OTHER) as StopHow,
    recordedAt: toTimestamp(recordedAt),
  })
}

/** Milliseconds since the epoch, rounded up: the same leads come at or after them. NaN for an invalid timestamp. */
export function toMs({ seconds, nanos }: Timestamp): number {
  const valid = nanos >= 0 && nanos < 1_000_000_000
  return valid ? Number(seconds) * 1_000 + Math.ceil(nanos / 1_000_000) : Number.NaN
}
