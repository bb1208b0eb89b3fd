import * as z from 'zod'
import { patterns } from './quote.ts'

/** The validation that a typical team would write with zod: trims values and refuses unknown members. */
export const zodQuote = z.strictObject({
  name: z.string().trim().min(1).max(200),
  phone: z.string().trim().regex(patterns.phone),
  email: z.string().trim().max(254).regex(patterns.email),
  bedrooms: z.string().trim().regex(patterns.count),
  bathrooms: z.string().trim().regex(patterns.count),
  service: z.string().trim().min(1).max(100),
  notes: z.string().trim().min(1).max(5_000),
  communicationsConsent: z.literal(true),
  consentTimestamp: z.string().regex(patterns.utcDateTime).optional(),
  pageUrl: z.string().max(2_048).regex(patterns.url).optional(),
})
