import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { type Lead, LeadKind, LeadSchema } from '../../src/gen/leadintake/v1/lead_pb.ts'

export const nowMs = Date.parse('2026-11-22T14:05:00Z')

/** A quote request that was received some minutes ago. */
export function quoteLead(id: string, change: MessageInitShape<typeof LeadSchema> = {}, minutesAgo = 0): Lead {
  const person = { name: 'Pat Example', phone: '2025550123', email: 'pat@example.com' }
  const home = { bedrooms: '3', bathrooms: '2', service: 'Deep clean', notes: 'Two cats.' }
  return create(LeadSchema, {
    id,
    receivedAt: timestampFromMs(nowMs - minutesAgo * 60_000),
    kind: LeadKind.QUOTE,
    content: { case: 'quoteRequest', value: { ...person, ...home } },
    ...change,
  })
}

/** What remains of a lead after an erasure. */
export const erasedLead = (id: string): Lead =>
  quoteLead(id, { content: { case: undefined }, erased: true, erasedAt: timestampFromMs(nowMs) })
