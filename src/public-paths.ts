export const apiVersion = 'v1'
export const apiRootPath = `/api/${apiVersion}`
export const leadsPath = `${apiRootPath}/leads`

/** The older, deprecated path without a version. */
export const legacyPath = '/api/leads'

/** Evidence and metrics name a lead by the `submissionPath`. Answers on a deprecated path announce its removal. */
export const leadPaths: readonly { path: string; submissionPath: 'rest-v1' | 'rest-legacy'; deprecated: boolean }[] = [
  { path: leadsPath, submissionPath: 'rest-v1', deprecated: false },
  { path: legacyPath, submissionPath: 'rest-legacy', deprecated: true },
]
