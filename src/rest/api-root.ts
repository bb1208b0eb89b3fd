import { fillSentence } from '../lead/sentences.ts'
import type { Policy } from '../limit/policy.ts'
import { type BusinessNotice, fillForReader } from '../problem/document.ts'
import { apiRootPath, apiVersion, leadsPath } from '../public-paths.ts'
import { discoveryLinks } from '../site/documents.ts'
import { parts } from '../words/problems.ts'
import { bodyMaxBytes } from './body.ts'
import { type Handler, type Route, readOnly } from './routes.ts'

interface ApiRootOptions {
  baseUrl: string
  notice: BusinessNotice
  policy: Policy
  /** `degraded` while the limiter runs on its fallback, `unavailable` while leads cannot be stored. */
  readStatus(): Promise<'operational' | 'degraded' | 'unavailable'>
}

/** `GET /api/v1`: discovery and status. Not rate-limited and not cached. */
export function createApiRoot({ baseUrl, notice, policy, readStatus }: ApiRootOptions): Route {
  const submission = fillForReader(fillSentence(parts.posting), 'rest', notice)
  const describe: Handler = async (ctx) => {
    ctx.body = {
      name: 'Lead Intake API',
      version: apiVersion,
      status: await readStatus(),
      authentication: 'none',
      links: {
        self: `${baseUrl}${apiRootPath}`,
        leads: `${baseUrl}${leadsPath}`,
        openapi: `${baseUrl}/openapi.json`,
        docs: `${baseUrl}/api-docs`,
        catalog: `${baseUrl}/.well-known/api-catalog`,
        llms: `${baseUrl}/llms.txt`,
        terms: `${baseUrl}/terms`,
        privacy: `${baseUrl}/privacy`,
      },
      submission,
      consent: notice.consent,
      limits: {
        bodyBytes: bodyMaxBytes,
        rate: { requests: policy.limit, windowSeconds: policy.windowSeconds, per: 'client', appliesTo: 'submissions' },
      },
    }
  }
  const fields = { 'Cache-Control': 'no-store', 'Access-Control-Allow-Origin': '*', Link: discoveryLinks(baseUrl) }
  return readOnly(apiRootPath, describe, fields)
}

/** `GET /`: redirects browsers, which accept HTML, to the overview, and others to the summary for agents. */
export function createHome(baseUrl: string): Route {
  return readOnly(
    '/',
    (ctx) => {
      const forPeople = ctx.get('Accept').toLowerCase().includes('text/html')
      ctx.redirect(`${baseUrl}${forPeople ? '/developers' : '/llms.txt'}`)
    },
    { 'Cache-Control': 'public, max-age=3600', Vary: 'Accept', Link: discoveryLinks(baseUrl) },
  )
}
