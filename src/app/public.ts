import { connectionBounds, createConnections } from '../connection/connections.ts'
import { keyWindowHours } from '../lead/submit.ts'
import { createCeiling } from '../limit/ceiling.ts'
import { createRequestLog } from '../ops/log.ts'
import { createConsentNotice } from '../problem/consent-notice.ts'
import { createProblemRenderer } from '../problem/document.ts'
import { type ApiRootOptions, createApiRoot } from '../rest/api-root.ts'
import { createRestApp } from '../rest/app.ts'
import { bodyMaxBytes } from '../rest/body.ts'
import { createReadClient } from '../rest/client.ts'
import { createCors } from '../rest/cors.ts'
import { createDocumentHandlers } from '../rest/documents.ts'
import { createLeadRoutes } from '../rest/leads.ts'
import { createParserErrorHandler } from '../rest/parser-error.ts'
import { readOnly, serverOptions } from '../rest/routes.ts'
import { createPublicServer } from '../rest/server.ts'
import { createDocuments } from '../site/documents.ts'
import type { Core } from './core.ts'

/** The public listener: lead paths, API description, documents and pages. */
export function buildPublic(core: Core) {
  const { config, log, metrics, overrides } = core
  const { baseUrl } = config
  const routes = [
    buildApiRoot(core),
    ...buildLeadRoutes(core),
    ...Array.from(buildDocuments(core), ([path, handler]) => readOnly(path, handler)),
    serverOptions,
  ]
  const renderProblem = createProblemRenderer(baseUrl, createConsentNotice(baseUrl, core.consent))
  const logRequest = createRequestLog(log)
  const connections = createConnections({
    peers: { maxPerClient: config.maxConnectionsPerClient, trustedProxies: config.trustedProxies },
    bounds: { connections: connectionBounds.connections, ...overrides.connectionBounds },
    onClose: metrics.onConnectionClosed,
  })
  return createPublicServer({
    connections,
    handle: createRestApp({
      baseUrl,
      routes,
      renderProblem,
      onError: core.onError,
      isStopping: core.isStopping,
      onAnswer: connections.hold,
      onRequest(report) {
        metrics.onRequest(report.route, report.status, report.problemCode, report.seconds)
        logRequest(report)
      },
    }),
    parserErrors: createParserErrorHandler({
      baseUrl,
      routes,
      renderProblem,
      connections,
      onRefusal(report) {
        metrics.onRequest(report.route, report.status, report.problemCode)
        logRequest(report)
      },
      onError: core.onError,
    }),
    headersTimeoutMs: overrides.headersTimeoutMs ?? 10_000,
    requestTimeoutMs: overrides.requestTimeoutMs ?? 15_000,
  })
}

function buildApiRoot({ config, consent, store, limiter }: Core) {
  const readStatus: ApiRootOptions['readStatus'] = async () => {
    if (!(await store.check()).ok) return 'unavailable'
    return limiter.mode === 'fallback' ? 'degraded' : 'operational'
  }
  const { baseUrl, ratePolicy: policy } = config
  return createApiRoot({ baseUrl, consent: createConsentNotice(baseUrl, consent), policy, readStatus })
}

function buildLeadRoutes(core: Core) {
  const { config, submit, limiter, metrics, now, overrides } = core
  return createLeadRoutes({
    submit,
    limiter,
    readClient: createReadClient(config.trustedProxies, metrics.onUntrustedForwarded),
    cors: createCors(config.corsOrigins),
    legacy: config.legacy,
    baseUrl: config.baseUrl,
    now,
    maxInFlight: overrides.maxInFlight ?? 2_000,
    ceiling: createCeiling(config.intakeCeilingPerMinute, config.replicas, () => performance.now()),
    onCeiling: metrics.onCeiling,
    onLead: metrics.onLead,
  })
}

function buildDocuments({ config, consent, now }: Core) {
  const { duplicateWindowHours } = config
  const context = {
    baseUrl: config.baseUrl,
    business: config.business,
    consent,
    policy: config.ratePolicy,
    bodyMaxBytes,
    duplicateWindowHours,
    keyWindowHours: keyWindowHours(duplicateWindowHours),
    retentionDays: config.retentionDays,
    corsOrigins: config.corsOrigins,
    acceptTestLeads: config.acceptTestLeads,
    legacy: config.legacy,
    now,
  }
  return createDocumentHandlers(createDocuments(context))
}
