import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Config } from './config/config.ts'
import { createSeal } from './lead/consent-seal.ts'
import { createInbox } from './lead/inbox.ts'
import { createRetention, evidenceDays } from './lead/retention.ts'
import { createSubmit, keyWindowHours } from './lead/submit.ts'
import { openLimiter } from './limit/open.ts'
import { createRequestLog, type Logger } from './ops/log.ts'
import { createMetrics } from './ops/metrics.ts'
import { createReadiness } from './ops/readiness.ts'
import { createReplicaReports } from './ops/replica-reports.ts'
import { createOpsServer } from './ops/server.ts'
import { createUpkeep } from './ops/upkeep.ts'
import { createProblemRenderer } from './problem/document.ts'
import { type ApiRootOptions, createApiRoot } from './rest/api-root.ts'
import { createRestApp } from './rest/app.ts'
import { bodyMaxBytes } from './rest/body.ts'
import { createReadClient } from './rest/client.ts'
import { createCors } from './rest/cors.ts'
import { createDocumentRoutes } from './rest/documents.ts'
import { createLeadRoutes } from './rest/leads.ts'
import { createParserErrorHandler } from './rest/parser-error.ts'
import { readOnly } from './rest/routes.ts'
import { close, createPublicServer, listen } from './rest/server.ts'
import { createInboxService } from './rpc/inbox.ts'
import { createRpcServer } from './rpc/server.ts'
import { createDocuments } from './site/documents.ts'
import { openStore } from './store/open.ts'
import { version } from './version.ts'

/** Where the three listeners listen, once started. */
export interface Addresses {
  public: AddressInfo
  internal: AddressInfo
  ops: AddressInfo
}

export interface App {
  start(): Promise<Addresses>
  /** Unready at once; goes on serving for the drain; then finishes what is in flight, flushes and closes. */
  stop(): Promise<void>
}

/** What a test may replace. */
export interface Overrides {
  now?: () => number
  headersTimeoutMs?: number
  requestTimeoutMs?: number
  maxInFlight?: number
}

/** How long requests in flight may go on after the drain: with it, a stop is over well within 25 s (contract §10). */
const finishMs = 12_000

/** How often what has expired is cleared away: it is only in the way of space, not of anything else. */
const upkeepMs = 600_000

/** Builds everything, by hand and in order; nothing listens before `start`. */
export async function createApp(config: Config, log: Logger, overrides: Overrides = {}): Promise<App> {
  const { baseUrl } = config
  const now = overrides.now ?? Date.now
  const metrics = createMetrics({
    version,
    nodeVersion: process.version,
    isStoreUp: async () => (await store.check()).ok,
    isReady: async () => (await readiness.check()).ready,
  })
  const onError = (error: unknown, requestId: string) => log.error({ err: error, requestId }, 'unexpected error')

  // Loaded here only: a service without traces pays nothing for them.
  const traces =
    config.tracing &&
    (await import('./ops/traced.ts')).openTraces({
      settings: config.tracing,
      version,
      database: config.databaseUrl.startsWith('sqlite:') ? 'sqlite' : 'postgresql',
      onError: (error) => log.warn({ err: error }, 'traces could not be sent'),
    })

  const store = await openStore({
    url: config.databaseUrl,
    onBatch: metrics.onBatch,
    traceCommit: traces?.commit,
    onError: (error) => log.warn({ err: error }, 'store'),
  })
  let limiterTrouble: string | undefined
  // Loaded here only: a start without Redis need not spend 100 ms on the driver.
  const redis = config.redis && (await import('./limit/redis-client.ts')).createRedisClient(config.redis)
  const limiter = await openLimiter({
    policy: config.ratePolicy,
    redis,
    replicas: config.replicas,
    secret: config.rateLimitSecret,
    traceRedis: traces?.redis,
    now: overrides.now,
    events: {
      onDecision(by, allowed) {
        metrics.onDecision(by, allowed)
        traces?.onDecision(by, allowed)
      },
      onModeChange(mode, cause) {
        metrics.onLimiterMode(mode)
        limiterTrouble = mode === 'fallback' ? `limiter: ${cause?.message ?? 'Redis is away'}` : undefined
        log[mode === 'fallback' ? 'warn' : 'info']({ mode, err: cause }, 'limiter mode')
      },
    },
  })
  const submit = createSubmit({
    store: traces ? traces.store(store) : store,
    now,
    acceptTestLeads: config.acceptTestLeads,
    duplicateWindowHours: config.duplicateWindowHours,
    seal: config.consentSealKeys[0] === undefined ? undefined : createSeal(config.consentSealKeys[0]),
  })

  const readiness = createReadiness({
    checkStore: store.check,
    reports: redis && createReplicaReports(redis, randomUUID()),
    otherTroubles: () => (limiterTrouble === undefined ? [] : [limiterTrouble]),
  })
  readiness.onChange((ready, { troubles }) =>
    log[ready ? 'info' : 'warn']({ troubles }, ready ? 'replica ready' : 'replica not ready'),
  )
  const readStatus: ApiRootOptions['readStatus'] = async () => {
    if (!(await store.check()).ok) return 'unavailable'
    return limiter.mode === 'fallback' ? 'degraded' : 'operational'
  }

  const documents = createDocuments({
    baseUrl,
    business: config.business,
    policy: config.ratePolicy,
    bodyMaxBytes,
    duplicateWindowHours: config.duplicateWindowHours,
    keyWindowHours: keyWindowHours(config.duplicateWindowHours),
    retentionDays: config.retentionDays,
    corsOrigins: config.corsOrigins,
    acceptTestLeads: config.acceptTestLeads,
    legacy: config.legacy,
    now,
  })
  const documentRoutes = createDocumentRoutes(documents)
  const routes = [
    createApiRoot({ baseUrl, policy: config.ratePolicy, readStatus }),
    ...createLeadRoutes({
      submit,
      limiter: traces ? traces.limiter(limiter) : limiter,
      readClient: createReadClient(config.trustedProxies),
      cors: createCors(config.corsOrigins),
      legacy: config.legacy,
      baseUrl,
      now,
      maxInFlight: overrides.maxInFlight ?? 2_000,
      onLead: metrics.onLead,
    }),
    ...Array.from(documentRoutes.handlers, ([path, handler]) => readOnly(path, handler)),
  ]
  const renderProblem = createProblemRenderer(baseUrl)
  const parserErrors = createParserErrorHandler({
    baseUrl,
    routes,
    renderProblem,
    onProblem: (code, requestId) => log.info({ requestId, code }, 'request not readable'),
  })
  const logRequest = createRequestLog(log)
  const publicServer = createPublicServer({
    handle: createRestApp({
      baseUrl,
      routes,
      renderProblem,
      onError,
      isStopping: () => stopping,
      trace: traces?.request,
      onRequest(report) {
        metrics.onRequest(report.route, report.status, report.problemCode, report.seconds)
        logRequest(report)
      },
    }),
    parserErrors,
    headersTimeoutMs: overrides.headersTimeoutMs ?? 10_000,
    requestTimeoutMs: overrides.requestTimeoutMs ?? 15_000,
  })

  const internal = createRpcServer({
    submit,
    inbox: createInboxService(createInbox({ store: traces ? traces.inbox(store.inbox) : store.inbox, now })),
    baseUrl,
    onError,
    trace: traces?.call,
    onCall(call) {
      metrics.onCall(call.service, call.method, call.code, call.seconds)
      const { peer: _, ...facts } = call
      log.info(facts, 'call')
    },
    tls: config.internal.tls,
    onRenewal(fault) {
      if (fault === undefined) log.info('certificates renewed')
      else log.warn({ err: fault }, 'renewed certificates cannot be used: the old ones stay')
    },
    now,
  })
  const ops = createOpsServer({ metrics, readiness })

  const { retentionDays } = config
  if (retentionDays !== undefined && retentionDays < evidenceDays) {
    log.warn(
      { retentionDays, evidenceDays },
      'LEAD_RETENTION_DAYS: consent may have to be shown for five years (16 CFR 310.5), and less is kept',
    )
  }
  const upkeep = createUpkeep({
    tasks: {
      prune: () => store.prune(new Date(now()).toISOString()),
      ...(retentionDays && { retention: createRetention({ store: store.inbox, now, days: retentionDays }) }),
    },
    everyMs: upkeepMs,
    onDone: (task, count) => log.info({ task, count }, 'upkeep'),
    onError: (task, error) => log.warn({ task, err: error }, 'upkeep'),
  })

  let stopping = false
  readiness.onChange(internal.setServing)

  return {
    async start() {
      const addresses = {
        ops: await listen(ops, config.ops.port, config.ops.host),
        internal: await internal.listen(config.internal.port, config.internal.host),
        public: await publicServer.listen(config.public.port, config.public.host),
      }
      await readiness.start()
      upkeep.start()
      documentRoutes.prepare().catch((error: unknown) => onError(error, 'none'))
      return addresses
    },
    async stop() {
      stopping = true
      readiness.stop()
      await new Promise((resolve) => setTimeout(resolve, config.drainSeconds * 1000))
      await Promise.all([publicServer.close(finishMs), internal.close(finishMs), upkeep.stop()])
      await limiter.close()
      await store.close()
      await traces?.close()
      await close(ops, 0)
    },
  }
}
