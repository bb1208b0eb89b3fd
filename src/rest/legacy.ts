import { leadsPath } from '../public-paths.ts'
import type { HeaderFields } from './routes.ts'

/** Since when the alias is deprecated, and when it is removed. */
export interface AliasSchedule {
  deprecatedAt: Date
  removal: { at: Date } | undefined
}

/**
 * The fields of every answer of the deprecated alias: `Deprecation` as a structured-field Date (RFC 9745 §2.1), links
 * to the successor and the policy, and, once a removal is scheduled, `Sunset` as an HTTP-date (RFC 8594 §3).
 */
export function legacyFields(baseUrl: string, { deprecatedAt, removal }: AliasSchedule): HeaderFields {
  const policy = `<${baseUrl}/api-docs#deprecation>`
  const links = [`<${baseUrl}${leadsPath}>; rel="successor-version"`, `${policy}; rel="deprecation"; type="text/html"`]
  if (removal) links.push(`${policy}; rel="sunset"; type="text/html"`)
  return {
    Deprecation: `@${Math.floor(deprecatedAt.getTime() / 1000)}`,
    Link: links.join(', '),
    ...(removal && { Sunset: removal.at.toUTCString() }),
  }
}
