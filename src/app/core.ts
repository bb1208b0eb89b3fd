import type { Config } from '../config/config.ts'
import { createInbox } from '../inbox/inbox.ts'
import { createSubmit } from '../lead/submit.ts'
import { createConsentTexts } from '../lead/wording.ts'
import { logRecords } from '../ops/inbox-log.ts'
import type { Log, Logger } from '../ops/log.ts'
import { createMetrics } from '../ops/metrics.ts'
import { createReadiness, createReplicaReports } from '../ops/readiness.ts'
import { createConsentNotice } from '../problem/document.ts'
import { unavailable } from '../store/group-commit.ts'
import { openStore, type Store } from '../store/open.ts'
import { openLimits } from './limits.ts'
import { createOutdatedWordingNotice } from './outdated-wording.ts'
import { explainStoreError } from './start-error.ts'

/** Values that are not settings. `main.ts` gives the first, tests replace the others. */
export interface Overrides {
  linesDropped?: Log['linesDropped']
  now?: () => number
  headersTimeoutMs?: number
  requestTimeoutMs?: number
  inProgressMax?: number
  stopMaxMs?: number
  /** Connections of the public listener. */
  connectionsMax?: number
}

/** The parts that the three listeners share. */
export type Core = Awaited<ReturnType<typeof openCore>>

/**
 * Opens the store and the limiter, and creates the use cases. Rejects with a `StartError` when the store cannot be
 * opened.
 */
export async function openCore(config: Config, log: Logger, overrides: Overrides) {
  const now = overrides.now ?? Date.now
  let stopping = false
  const metrics = createMetrics({
    isStoreUp: async () => (await store.check()).ok,
    isOnFallback: async () => (await limiter.check()) !== undefined,
    isReady: async () => (await readiness.check()).ready,
    readConsumers: () => inbox.consumers.figures(),
    linesDropped: overrides.linesDropped ?? (() => 0),
  })
  const consent = createConsentTexts(config.business, config.consentWording)
  const traces = config.sendsTraces ? (await import('../ops/traces.ts')).createTraces(log) : undefined
  // The log is an independent record of opt-outs and erasures, so they are logged whatever LOG_LEVEL says.
  const witness = log.child({}, { level: 'info' })
  const opened = await openStore({
    url: config.databaseUrl,
    wordings: [consent.wording, consent.statement, consent.business],
    onBatch: metrics.onBatch,
    onError: createFailureLog(log),
    onHealthChange: (health) =>
      health.ok ? log.info('leads can be stored again') : log.warn({ reason: health.reason }, 'leads cannot be stored'),
  }).catch((error: unknown) => {
    throw explainStoreError(error, config.databaseUrl)
  })
  const { limiter, reporting, findTroubles } = await openLimits(config, log, metrics, opened.identify)
  const store: Store = { ...opened, inbox: logRecords(opened.inbox, witness) }
  const { acceptTestLeads, duplicateWindowHours } = config
  const onOutdatedWording = createOutdatedWordingNotice(log, metrics.onOutdatedWording, now)
  const submit = createSubmit({
    // Once others are known to store what this replica cannot, it does not make callers wait.
    store: { ...store, add: (lead) => (readiness.othersStore() ? Promise.reject(unavailable()) : store.add(lead)) },
    now,
    acceptTestLeads,
    duplicateWindowHours,
    consent,
    onOutdatedWording,
  })

  const inbox = createInbox(store.inbox, now)
  const readiness = createReadiness({
    async storeTrouble() {
      const health = await store.check()
      return health.ok ? undefined : health.reason
    },
    reports: reporting && createReplicaReports(reporting.redis, reporting.readInstallation),
    findOtherTroubles: findTroubles,
  })
  readiness.onChange(({ ready, troubles }) =>
    log[ready ? 'info' : 'warn']({ troubles }, ready ? 'replica ready' : 'replica not ready'),
  )

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
    /** What callers get to know about the business. */
    notice: { ...config.business, consent: createConsentNotice(config.baseUrl, consent) },
    submit,
    inbox,
    /** Logs an unexpected error. */
    onError: (error: unknown, requestId: string) => log.error({ err: error, requestId }, 'unexpected error'),
    /** Whether an answer of the public listener ends its connection. Balancers by connection then choose another replica. */
    endsConnection: (status: number) => stopping || (status === 503 && !readiness.isReady()),
    setStopping() {
      stopping = true
    },
  }
}

/** How often an outage of the database is logged, in milliseconds. It fails several commits a second. */
const failureLogMs = 60_000

/** Logs one failed commit a minute, with how many there were since the line before. */
function createFailureLog(log: Logger): (error: unknown) => void {
  let count = 0
  let quietUntilMs = 0
  return (error) => {
    count++
    if (performance.now() < quietUntilMs) return
    quietUntilMs = performance.now() + failureLogMs
    log.warn({ err: error, count }, 'database unavailable')
    count = 0
  }
}
