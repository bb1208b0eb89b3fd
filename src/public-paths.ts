import type { SubmissionPath } from './lead/submission.ts'
import { currentVersion, type Version, versionNames } from './lead/versions.ts'

/** The prefix of all paths in one version of the public API (docs/specification.md §0, Versions). */
export function rootPathOf(version: Version): string {
  return `/api/${version}`
}

/** The path for submitting leads in one version. */
export function leadsPathOf(version: Version): string {
  return `${rootPathOf(version)}/leads`
}

/** The paths that documents recommend. */
export const apiRootPath = rootPathOf(currentVersion)
export const leadsPath = leadsPathOf(currentVersion)

/** A path for submitting leads, and the version whose rules apply. */
export interface LeadPath {
  path: string
  version: Version
  /** Its name in evidence and metrics. */
  origin: Exclude<SubmissionPath, 'rpc'>
  /** Whether its answers announce its removal (`LEGACY_*`). */
  deprecated: boolean
}

/** The deprecated alias, older than versioning. It accepts what v1 accepts. */
export const alias = {
  path: '/api/leads',
  version: 'v1',
  origin: 'rest-legacy',
  deprecated: true,
} as const satisfies LeadPath

/** All paths that accept leads: one per version, and the alias. */
export const leadPaths: readonly LeadPath[] = [
  ...versionNames.map((version) => ({
    path: leadsPathOf(version),
    version,
    origin: `rest-${version}` as const,
    deprecated: false,
  })),
  alias,
]
