import type { ConsentTexts } from '../lead/wording.ts'
import type { Policy } from '../limit/decision.ts'

/** The facts and settings of this deployment that documents show. */
export interface DiscoveryContext {
  /** The public origin, without a trailing slash. */
  baseUrl: string
  business: {
    name: string
    phone: string
    email: string
    serviceArea: string
    postalAddress: string
    /** Who handles leads for the business. Undefined: not stated. */
    serviceProviders: string | undefined
    /** Undefined: not stated. */
    backupDays: number | undefined
  }
  /** The consent wording in force, and the caller's statement. */
  consent: ConsentTexts
  policy: Policy
  bodyMaxBytes: number
  /** How long the same content counts as a duplicate. 0: never. */
  duplicateWindowHours: number
  /** How long an Idempotency-Key is remembered. */
  keyWindowHours: number
  /** How long personal data is kept. Undefined: until its erasure is requested. */
  retentionDays: number | undefined
  corsOrigins: readonly string[]
  acceptTestLeads: boolean
  legacy: { deprecatedAt: Date; sunset?: { announcedAt: Date; at: Date } | undefined }
  /** Milliseconds since the epoch. */
  now: () => number
}
