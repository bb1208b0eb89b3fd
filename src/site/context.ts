import type { ConsentTexts } from '../lead/wording.ts'
import type { Policy } from '../limit/decision.ts'

/** What the documents say of this deployment: its settings. */
export interface DiscoveryContext {
  /** The public origin, without a trailing slash. */
  baseUrl: string
  business: {
    name: string
    phone: string
    email: string
    serviceArea: string
    postalAddress: string
    /** Who handles leads for the business. Undefined: not named. */
    serviceProviders: string | undefined
    /** Undefined: not named. */
    backupDays: number | undefined
  }
  /** The consent wording in force and the caller's statement. */
  consent: ConsentTexts
  policy: Policy
  bodyMaxBytes: number
  /** How long the same content is a duplicate; 0: never. */
  duplicateWindowHours: number
  /** How long an Idempotency-Key is remembered. */
  keyWindowHours: number
  /** How long personal data is kept; undefined: until its erasure is asked for. */
  retentionDays: number | undefined
  corsOrigins: readonly string[]
  acceptTestLeads: boolean
  legacy: { deprecatedAt: Date; sunset?: { announcedAt: Date; at: Date } | undefined }
  /** Milliseconds since the epoch. */
  now: () => number
}
