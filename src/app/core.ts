import type { Config } from '../config/config.ts'
import { createErase } from '../consent/erasure.ts'
import { createTextWriter } from '../consent/evidence-texts.ts'
import { createOptOuts } from '../consent/opt-outs.ts'
import { createConsentNotice, createConsentTexts } from '../consent/wording.ts'
import { createInbox } from '../inbox/inbox.ts'
import { createSubmit } from '../lead/submit.ts'
import { createClocks } from '../ops/clocks.ts'
import { createThrottle, type Logger } from '../ops/log.ts'
import { createMetrics } from '../ops/metrics.ts'
import { createReadiness } from '../ops/readiness.ts'
import { openStore } from '../store/open.ts'
import { openLimits } from './limits.ts'
import { explainStoreError } from './start-error.ts'

/** Values that are not settings. `main.ts` passes the first one; tests replace the others. */
export interface Overrides {
  linesDropped?: () => number
  now?: () => number
  headersTimeoutMs?: number
  requestTimeoutMs?: number
  inProgressMax?: number
  storeDeadlineMs?: number
  connectionsMax?: number
}

export type Core = Awaited<ReturnType<typeof openCore>>

/** Opens the store and the limiter, and creates the use cases. Rejects with a `StartError` if there can be no store. */
export async function openCore(config: Config, log: Logger, overrides: Overrides) {
  const { now = Date.now, linesDropped = () => 0 } = overrides
  let isStopping = false
  const mayWarn = createThrottle(60_000, now)
  const mayWarnOfLookup = createThrottle(60_000, now)
  const mayWarnOfWording = createThrottle(86_400_000, now)
  const metrics = createMetrics()
  const consent = createConsentTexts(config.business, config.consentWording)
  const traces = config.sendsTraces ? (await import('../ops/traces.ts')).createTraces(log) : undefined
  const store = await openStore({
    url: config.databaseUrl,
    deadlineMs: overrides.storeDeadlineMs,
    publishedTexts: [consent.wording, consent.statement, consent.business],
    // The log is an independent record of opt-outs and erasures, so it gets them whatever LOG_LEVEL says.
    witness: log.child({}, { level: 'info' }),
    canOnlyOthersStore: () => readiness.canOnlyOthersStore(),
    onBatch: metrics.onBatch,
    onHealth(reason) {
      if (reason === undefined) log.info('leads can be stored again')
      // An outage fails several attempts a second.
      else if (mayWarn()) log.warn({ reason }, 'leads cannot be stored')
    },
    onLookupFailure(reason) {
      if (mayWarnOfLookup()) log.warn({ reason }, 'leads with an older wording are refused: it cannot be looked up')
    },
  }).catch((error: unknown) => {
    throw explainStoreError(error, config.databaseUrl)
  })
  const limits = await openLimits(config, log, metrics, store.identify)
  const { limiter, reports, readRedisClock, compareSettings } = limits
  const { readClock: readDatabase, readNewest } = store
  const clocks = createClocks({ now, log, readDatabase, readRedis: readRedisClock, readNewest })
  const readiness = createReadiness({
    findStoreTrouble: store.findTrouble,
    reports,
    findOtherTroubles: async () => [...(await limits.findTroubles()), ...clocks.findTroubles()],
  })
  readiness.onChange(({ ready, troubles }) =>
    log[ready || isStopping ? 'info' : 'warn']({ troubles }, ready ? 'replica ready' : 'replica not ready'),
  )
  const submit = createSubmit({
    store,
    now,
    acceptTestLeads: config.acceptTestLeads,
    duplicateWindowHours: config.duplicateWindowHours,
    wording: consent.wording,
    createTexts: createTextWriter(consent),
    onLead: metrics.onLead,
    onStoredLate: (facts) => log.info(facts, 'lead stored'),
    onOutdatedWording(pageUrl) {
      metrics.onOutdatedWording()
      if (!mayWarnOfWording()) return
      const { origin } = URL.parse(pageUrl ?? '') ?? {}
      const hint = 'if this goes on for an hour after a change, a form there has an old wording: see /website-forms'
      log.warn({ origin, hint }, 'a customer was shown a wording that is not in force')
    },
  })
  const inbox = createInbox(store.inbox, now)
  const optOuts = createOptOuts(store.inbox, now)
  const erase = createErase(store.inbox, inbox.get, optOuts, now)

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
    clocks,
    compareSettings,
    consent,
    submit,
    inbox,
    optOuts,
    erase,
    renderMetrics: async () =>
      await metrics.render({
        isStoreUp: (await store.findTrouble()) === undefined,
        isOnFallback: (await limiter.findTrouble()) !== undefined,
        isReady: (await readiness.judge()).ready,
        consumers: await inbox.consumers.readLags(),
        linesDropped: linesDropped(),
      }),
    notice: { ...config.business, consent: createConsentNotice(config.baseUrl, consent) },
    onError: (error: unknown, requestId: string) => log.error({ err: error, requestId }, 'unexpected error'),
    /** Whether an answer closes its connection, so that a load balancer chooses another replica. */
    endsConnection: (status: number) => isStopping || (status === 503 && !readiness.isReady()),
    setStopping() {
      isStopping = true
    },
  }
}
