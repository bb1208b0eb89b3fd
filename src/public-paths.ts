export const apiVersion = 'v1'
export const apiRootPath = `/api/${apiVersion}`
/** The path for submitting leads that documents recommend. */
export const leadsPath = `${apiRootPath}/leads`

/** The deprecated alias of `leadsPath`, older than versioning. */
export const legacyPath = '/api/leads'

/** `submissionPath`: how evidence and metrics name a lead that came in here. `deprecated`: answers announce its removal (`LEGACY_*`). */
export const leadPaths: readonly { path: string; submissionPath: 'rest-v1' | 'rest-legacy'; deprecated: boolean }[] = [
  { path: leadsPath, submissionPath: 'rest-v1', deprecated: false },
  { path: legacyPath, submissionPath: 'rest-legacy', deprecated: true },
]
