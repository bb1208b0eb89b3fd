import type { IncomingHttpHeaders } from 'node:http'
import { createClientReader, createPeerKey } from '../net/client.ts'
import { createPublicServer } from '../net/public-server.ts'
import { createThrottle } from '../ops/log.ts'
import { createProblemRenderer } from '../problem/document.ts'
import { createApiRoot, createHome } from '../rest/api-root.ts'
import { createParserProblems, createRestApp, type RequestReport } from '../rest/app.ts'
import { bodyMaxBytes } from '../rest/body.ts'
import { createCors } from '../rest/cors.ts'
import { createDocumentRoutes } from '../rest/document-routes.ts'
import { createLeadRoutes } from '../rest/leads.ts'
import { createDocuments } from '../site/documents.ts'
import { timedValues } from '../site/values.ts'
import type { Core } from './core.ts'

export function buildPublic(core: Core) {
  const { config, log, metrics, traces, overrides, onError, endsConnection, now, notice, submit, limiter, store } = core
  const { baseUrl, ratePolicy: policy } = config
  const context = { ...config, consent: core.consent, now }
  async function readStatus() {
    if ((await store.findTrouble()) !== undefined) return 'unavailable'
    return (await limiter.findTrouble()) === undefined ? 'operational' : 'degraded'
  }
  const mayWarnOfCdn = createThrottle(Number.POSITIVE_INFINITY, now)
  const cdn =
    'CDN-Loop: behind this CDN, all customers share one address and limit: set TRUSTED_PROXIES, or turn it off'
  const routes = [
    createHome(baseUrl),
    createApiRoot({ baseUrl, notice, policy, readStatus }),
    ...createLeadRoutes({
      submit,
      limiter,
      policy,
      readClient: createClientReader(config.trustedProxies, metrics.onUntrustedForwarded, () => {
        if (mayWarnOfCdn()) log.warn(cdn)
      }),
      cors: createCors(config.corsOrigins, metrics.onRefusedOrigin),
      legacy: config.legacy,
      baseUrl,
      now,
      // About 5,000 usual leads, or 250 of the largest ones.
      inProgressMax: overrides.inProgressMax ?? 24 * 1_024 * 1_024,
    }),
    ...createDocumentRoutes(createDocuments(context), () => JSON.stringify(timedValues(context))),
  ]
  const renderProblem = createProblemRenderer(baseUrl, notice)
  const onRequest = (report: Omit<RequestReport, 'seconds'> & { seconds?: number }, headers?: IncomingHttpHeaders) => {
    const { requestId, method, route, status, problemCode, seconds } = report
    metrics.onRequest(route, status, problemCode, seconds)
    log.info(report, 'request')
    const semantic = { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status }
    const attributes = { ...semantic, 'error.type': problemCode }
    traces?.record({ name: `${method} ${route}`, requestId, seconds, failed: status >= 500, headers, attributes })
  }
  return createPublicServer({
    handle: createRestApp({ baseUrl, routes, renderProblem, onError, endsConnection, onRequest }),
    clientOf: createPeerKey(config.trustedProxies),
    connectionsPerClient: config.maxConnectionsPerClient,
    connectionsMax: overrides.connectionsMax ?? 10_000,
    onClose: metrics.onConnectionClosed,
    parserErrors: createParserProblems(baseUrl, renderProblem, onRequest),
    bodyMaxBytes,
    headersTimeoutMs: overrides.headersTimeoutMs ?? 10_000,
    requestTimeoutMs: overrides.requestTimeoutMs ?? 15_000,
  })
}
