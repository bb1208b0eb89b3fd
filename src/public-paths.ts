/** The prefix of all paths of the public API. A new version gets a new prefix (docs/specification.md §0, Versions). */
export const apiRootPath = '/api/v1'

/** Where leads are submitted. */
export const leadsPath = `${apiRootPath}/leads` as const

/** The deprecated alias of `leadsPath`, older than versioning. */
export const legacyPath = '/api/leads'
