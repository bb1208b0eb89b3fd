import type { SubmissionPath } from './lead/submission.ts'
import { currentVersion, type Version, versionNames } from './lead/versions.ts'

/** The prefix of all paths of one version of the public API (docs/specification.md §0, Versions). */
export function rootPathOf(version: Version): string {
  return `/api/${version}`
}

/** Where leads are submitted in one version. */
export function leadsPathOf(version: Version): string {
  return `${rootPathOf(version)}/leads`
}

/** The two paths that documents tell callers to use. */
export const apiRootPath = rootPathOf(currentVersion)
export const leadsPath = leadsPathOf(currentVersion)

/** A path where leads are submitted, and the version whose rules apply. */
export interface LeadPath {
  path: string
  version: Version
  /** What evidence and metrics call it. */
  origin: Exclude<SubmissionPath, 'rpc'>
  /** Whether its answers announce its end, and it can be removed (`LEGACY_*`). */
  deprecated: boolean
}

/** The deprecated alias, older than versioning. It takes what v1 takes. */
export const alias = {
  path: '/api/leads',
  version: 'v1',
  origin: 'rest-legacy',
  deprecated: true,
} as const satisfies LeadPath

/** Every path that takes leads: one for each version, and the alias. */
export const leadPaths: readonly LeadPath[] = [
  ...versionNames.map((version) => ({
    path: leadsPathOf(version),
    version,
    origin: `rest-${version}` as const,
    deprecated: false,
  })),
  alias,
]
