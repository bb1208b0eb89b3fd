import { headerFields } from '../header-fields.ts'
import type { Version } from '../lead/versions.ts'
import type { Policy } from '../limit/decision.ts'
import type { ConsentNotice } from '../problem/consent-notice.ts'
import { leadsPathOf, rootPathOf } from '../public-paths.ts'
import { jsonContentType } from './answer.ts'
import { bodyMaxBytes } from './body.ts'
import { type Route, readOnly } from './routes.ts'

/** `degraded`: the limiter runs on its fallback. `unavailable`: leads cannot be stored. */
export type ServiceStatus = 'operational' | 'degraded' | 'unavailable'

export interface ApiRootOptions {
  baseUrl: string
  consent: ConsentNotice
  policy: Policy
  readStatus(): Promise<ServiceStatus>
}

/** `GET /api/v1`, and its counterpart in every other version: discovery and status. Not rate-limited and not cached. */
export function createApiRoot(version: Version, { baseUrl, consent, policy, readStatus }: ApiRootOptions): Route {
  const describe = (status: ServiceStatus) => ({
    name: 'Lead Intake API',
    version,
    status,
    authentication: 'none',
    links: {
      self: `${baseUrl}${rootPathOf(version)}`,
      leads: `${baseUrl}${leadsPathOf(version)}`,
      openapi: `${baseUrl}/openapi.json`,
      docs: `${baseUrl}/api-docs`,
      catalog: `${baseUrl}/.well-known/api-catalog`,
      llms: `${baseUrl}/llms.txt`,
      terms: `${baseUrl}/terms`,
      privacy: `${baseUrl}/privacy`,
    },
    consent,
    limits: {
      bodyBytes: bodyMaxBytes,
      rate: { requests: policy.limit, windowSeconds: policy.windowSeconds, per: 'client', appliesTo: 'submissions' },
    },
  })
  return readOnly(
    rootPathOf(version),
    async () => ({ status: 200, fields: jsonContentType, body: JSON.stringify(describe(await readStatus())) }),
    headerFields({
      'Cache-Control': 'no-store',
      'Access-Control-Allow-Origin': '*',
      Link: [
        `<${baseUrl}/.well-known/api-catalog>; rel="api-catalog"`,
        `<${baseUrl}/openapi.json>; rel="service-desc"`,
        `<${baseUrl}/llms.txt>; rel="service-meta"`,
      ].join(', '),
    }),
  )
}
