import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { Channel } from '../gen/leadintake/v1/inbox_pb.ts'
import { LeadKind } from '../gen/leadintake/v1/lead_pb.ts'
import { invalid } from '../inbox/input.ts'
import type { Channel as ChannelName } from '../inbox/stops.ts'
import type { LeadKind as KindName } from '../lead/submission.ts'

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

/**
 * Milliseconds since the epoch; NaN for an invalid timestamp. Rounds up: leads have times in whole milliseconds, so the
 * same leads come at or after the rounded time.
 */
export function toMs({ seconds, nanos }: Timestamp): number {
  const valid = nanos >= 0 && nanos < 1_000_000_000
  return valid ? Number(seconds) * 1_000 + Math.ceil(nanos / 1_000_000) : Number.NaN
}
