/** Every path of the public API begins here: a new version has a prefix of its own (docs/specification.md §0, Versions). */
export const apiRootPath = '/api/v1'

/** Where leads are submitted. */
export const leadsPath = `${apiRootPath}/leads` as const

/** The deprecated alias of `leadsPath`, from before there were versions. */
export const legacyPath = '/api/leads'
