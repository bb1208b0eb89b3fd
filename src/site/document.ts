import type { Config } from '../config/config.ts'
import type { ConsentTexts } from '../lead/wording.ts'

/** What documents show of this deployment. */
export interface DiscoveryContext
  extends Pick<
    Config,
    | 'baseUrl'
    | 'business'
    | 'ratePolicy'
    | 'duplicateWindowHours'
    | 'retentionDays'
    | 'corsOrigins'
    | 'acceptTestLeads'
    | 'legacy'
  > {
  /** The consent wording in force, and the caller's statement. */
  consent: ConsentTexts
  /** Milliseconds since the epoch. */
  now: () => number
}

/** A document of the public listener. */
export interface Document {
  /** The path below the public origin. */
  path: string
  contentType: string
  /** Returns the text, which is sent as UTF-8. Called once. */
  render: () => string
  /** Whether scripts from any origin may read it: true for machine-readable documents (Fetch, CORS protocol). */
  readableAnywhere: boolean
  /** Additional header fields of every answer, such as `Link`. */
  headers?: Readonly<Record<string, string>>
  /** The absolute URL to redirect to, for a document that is only a redirect. */
  redirectTo?: string
}
