import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { type Lead, LeadKind, LeadSchema } from '../../src/gen/leadintake/v1/lead_pb.ts'

export const nowMs = Date.parse('2026-11-22T14:05:00Z')

/** A quote request that was received some minutes ago. */
export function quoteLead(id: string, change: MessageInitShape<typeof LeadSchema> = {}, minutesAgo = 0): Lead {
  return create(LeadSchema, {
    id,
    receivedAt: timestampFromMs(nowMs - minutesAgo * 60_000),
    kind: LeadKind.QUOTE,
    content: {
      case: 'quoteRequest',
      value: {
        name: 'Pat Example',
        phone: '2025550123',
        email: 'pat@example.com',
        bedrooms: '3',
        bathrooms: '2',
        service: 'Deep clean',
        notes: 'Two cats.',
      },
    },
    ...change,
  })
}

/** What remains of a lead after an erasure. */
export function erasedLead(id: string): Lead {
  return create(LeadSchema, {
    id,
    receivedAt: timestampFromMs(nowMs),
    kind: LeadKind.QUOTE,
    erased: true,
    erasedAt: timestampFromMs(nowMs),
  })
}
