import { randomUUID } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { createSubmit, type Submit } from '../lead/submit.ts'
import { type ConsentTexts, createConsentTexts } from '../lead/wording.ts'
import type { Limiter } from '../limit/decision.ts'
import { openLimiter } from '../limit/open.ts'
import type { Logger } from '../ops/log.ts'
import { createMetrics, type Metrics } from '../ops/metrics.ts'
import { createReadiness, type Readiness } from '../ops/readiness.ts'
import { createReplicaReports } from '../ops/replica-reports.ts'
import type { Traces } from '../ops/traced.ts'
import type { ConnectionBounds } from '../rest/connections.ts'
import { openStore, type Store } from '../store/open.ts'
import { version } from '../version.ts'
import { explainStoreError } from './start-error.ts'

/** What a test may replace. */
export interface Overrides {
  now?: () => number
  headersTimeoutMs?: number
  requestTimeoutMs?: number
  maxInFlight?: number
  connectionBounds?: Partial<ConnectionBounds>
}

/** What the three listeners share. */
export interface Core {
  config: Config
  log: Logger
  /** Milliseconds since the epoch. */
  now: () => number
  overrides: Overrides
  metrics: Metrics
  /** Undefined: no traces. */
  traces: Traces | undefined
  store: Store
  limiter: Limiter
  readiness: Readiness
  /** The consent wording in force and the caller's statement. */
  consent: ConsentTexts
  submit: Submit
  /** Writes an error that nobody foresaw to the log. */
  onError(error: unknown, requestId: string): void
  /** True from the first moment of a stop. */
  isStopping(): boolean
  setStopping(): void
}

/** Opens the store and the limiter, and builds what is done with a lead. Rejects with a `StartError` when the store cannot be opened. */
export async function openCore(config: Config, log: Logger, overrides: Overrides): Promise<Core> {
  const now = overrides.now ?? Date.now
  const metrics = createMetrics({
    version,
    nodeVersion: process.version,
    isStoreUp: async () => (await store.check()).ok,
    isReady: async () => (await readiness.check()).ready,
  })
  const traces = await openTraces(config, log)
  const consent = createConsentTexts(config.business, config.consentWording)
  const store = await openStore({
    url: config.databaseUrl,
    wordings: [consent.wording, consent.statement],
    onBatch: metrics.onBatch,
    traceCommit: traces?.commit,
    onError: (error) => log.warn({ err: error }, 'store'),
  }).catch((error: unknown) => {
    throw explainStoreError(error, config.databaseUrl)
  })
  let limiterTrouble: string | undefined
  // Loaded here only: a start without Redis need not spend 100 ms on the driver.
  const redis = config.redis && (await import('../limit/redis-client.ts')).createRedisClient(config.redis)
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
    consent,
  })

  const readiness = createReadiness({
    checkStore: store.check,
    reports: redis && createReplicaReports(redis, randomUUID()),
    otherTroubles: () => (limiterTrouble === undefined ? [] : [limiterTrouble]),
  })
  readiness.onChange((ready, { troubles }) =>
    log[ready ? 'info' : 'warn']({ troubles }, ready ? 'replica ready' : 'replica not ready'),
  )

  let stopping = false
  return {
    config,
    log,
    now,
    overrides,
    metrics,
    traces,
    store,
    limiter,
    readiness,
    consent,
    submit,
    onError: (error, requestId) => log.error({ err: error, requestId }, 'unexpected error'),
    isStopping: () => stopping,
    setStopping() {
      stopping = true
    },
  }
}

/** The tracing library is loaded here only: a service without traces pays nothing for it. */
async function openTraces(config: Config, log: Logger): Promise<Traces | undefined> {
  if (!config.tracing) return undefined
  const traced = await import('../ops/traced.ts')
  return traced.openTraces({
    settings: config.tracing,
    version,
    database: config.databaseUrl.startsWith('sqlite:') ? 'sqlite' : 'postgresql',
    onError: (error) => log.warn({ err: error }, 'traces could not be sent'),
  })
}
