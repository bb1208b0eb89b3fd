import { aliasDeprecatedAt, leadsPath } from '../public-paths.ts'
import type { HeaderFields } from './routes.ts'

/**
 * The fields of every answer of the deprecated alias: `Deprecation` as a structured-field Date (RFC 9745 §2.1), links
 * to the successor and the policy, and, once a removal is scheduled, `Sunset` as an HTTP-date (RFC 8594 §3).
 */
export function legacyFields(baseUrl: string, removedAt: Date | undefined): HeaderFields {
  const policy = `<${baseUrl}/api-docs#deprecation>`
  const links = [`<${baseUrl}${leadsPath}>; rel="successor-version"`, `${policy}; rel="deprecation"; type="text/html"`]
  if (removedAt) links.push(`${policy}; rel="sunset"; type="text/html"`)
  return {
    Deprecation: `@${aliasDeprecatedAt.getTime() / 1000}`,
    Link: links.join(', '),
    ...(removedAt && { Sunset: removedAt.toUTCString() }),
  }
}
