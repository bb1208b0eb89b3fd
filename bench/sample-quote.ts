import { create, toBinary } from '@bufbuild/protobuf'
import { SubmitLeadRequestSchema } from '../src/gen/leadintake/v1/intake_pb.ts'

/** A quote like those from `load/submit.lua`. */
export const quote = {
  name: 'Customer 00000000',
  phone: '2025550123',
  email: 'customer.00000000@example.com',
  bedrooms: '3',
  bathrooms: '2.5',
  service: 'Deep cleaning',
  notes: 'Visit 00000000. Two cats and one dog, wooden floors on both storeys, keys are with the neighbour.',
  communicationsConsent: true,
  consentTimestamp: '2026-11-20T10:00:00Z',
  pageUrl: 'https://www.example.com/quote',
}

export const quoteJson = JSON.stringify(quote)

/**
 * The quote as one uncompressed gRPC message: its length, then the protobuf (gRPC over HTTP/2,
 * Length-Prefixed-Message).
 */
export function encodeGrpcQuote(): Uint8Array {
  const message = toBinary(
    SubmitLeadRequestSchema,
    create(SubmitLeadRequestSchema, { lead: { case: 'quoteRequest', value: quote } }),
  )
  const frame = Buffer.alloc(5 + message.length)
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, 5)
  return frame
}
