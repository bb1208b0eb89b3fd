import { create, type DescEnum } from '@bufbuild/protobuf'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import {
  Channel,
  ChannelSchema,
  type OptOut,
  OptOutHow,
  OptOutHowSchema,
  OptOutSchema,
} from '../gen/leadintake/v1/inbox_pb.ts'
import { LeadKind } from '../gen/leadintake/v1/lead_pb.ts'
import type { Channel as ChannelName } from '../inbox/opt-outs.ts'
import { invalid } from '../inbox/parse-fields.ts'
import type { OptOut as StoredOptOut } from '../inbox/stored-lead.ts'
import type { LeadKind as KindName } from '../lead/submission.ts'
import { inboxFaults } from '../words/inbox.ts'
import { toTimestamp } from './lead-message.ts'

/** Undefined: both kinds. */
export function toKind(kind: LeadKind): KindName | undefined {
  if (kind === LeadKind.UNSPECIFIED) return undefined
  const name = kindNames[kind]
  // A kind from a newer version. Treating it as "both kinds" would return wrong leads.
  if (name !== undefined) return name
  throw invalid('kind', inboxFaults.kind)
}

const kindNames: Partial<Record<LeadKind, KindName>> = { [LeadKind.QUOTE]: 'quote', [LeadKind.SUPPORT]: 'support' }

export function toChannels(channels: readonly Channel[]): ChannelName[] {
  return channels.map((channel) => {
    const name = channelNames[channel]
    if (name !== undefined) return name
    throw invalid('channels', inboxFaults.channels)
  })
}

const channelNames: Partial<Record<Channel, ChannelName>> = {
  [Channel.PHONE]: 'phone',
  [Channel.TEXT]: 'text',
  [Channel.EMAIL]: 'email',
}

export function toHow(how: OptOutHow): string {
  const name = OptOutHowSchema.value[how]?.localName.toLowerCase()
  if (name !== undefined) return name
  throw invalid('how', inboxFaults.how)
}

/** Converts an opt-out to its proto message. */
export function toOptOut({ id, contact, name, caller, channels, saidAt, how, recordedAt }: StoredOptOut): OptOut {
  const numberOf = ({ values }: DescEnum, name: string) =>
    values.find(({ localName }) => localName.toLowerCase() === name)?.number
  return create(OptOutSchema, {
    id,
    channels: channels.map((name) => numberOf(ChannelSchema, name) as Channel),
    saidAt: toTimestamp(saidAt),
    how: (numberOf(OptOutHowSchema, how) ?? OptOutHow.OTHER) as OptOutHow,
    recordedAt: toTimestamp(recordedAt),
    contact,
    name: name ?? '',
    caller: caller ?? '',
  })
}

/** Milliseconds since the epoch, rounded up: the same leads come at or after them. NaN for an invalid timestamp. */
export function toMs({ seconds, nanos }: Timestamp): number {
  const valid = nanos >= 0 && nanos < 1_000_000_000
  return valid ? Number(seconds) * 1_000 + Math.ceil(nanos / 1_000_000) : Number.NaN
}
