import type { Via } from './lead/submission.ts'

/** The version in the paths of the public API (docs/specification.md §0, Versions). */
export const apiVersion = 'v1'

export const apiRootPath = `/api/${apiVersion}`

/** The path for submitting leads that documents recommend. */
export const leadsPath = `${apiRootPath}/leads`

/** The deprecated alias of `leadsPath`, older than versioning. */
export const aliasPath = '/api/leads'

export interface LeadPath {
  path: string
  /** How a lead that came in here is named in evidence and metrics. */
  via: Exclude<Via, 'rpc'>
  /** Whether its answers announce its removal (`LEGACY_*`). */
  deprecated: boolean
}

export const leadPaths: readonly LeadPath[] = [
  { path: leadsPath, via: 'rest-v1', deprecated: false },
  { path: aliasPath, via: 'rest-legacy', deprecated: true },
]
