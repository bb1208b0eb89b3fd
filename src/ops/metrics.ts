import { Counter, collectDefaultMetrics, Registry } from 'prom-client'
import { createConsumerMetrics } from './consumer-metrics.ts'
import { createCounts } from './counts.ts'

/** In seconds. A normal answer takes a few milliseconds; the service gives up after five seconds. */
const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const batchBuckets = [1, 2, 4, 8, 16, 32, 64, 128]

/** Label combinations that can occur. Their series are exposed at 0 from the start. */
export interface KnownSeries {
  /** Route, status, and problem code or `''`. */
  requests: readonly (readonly [route: string, status: number, code: string])[]
  /** The ways in which leads arrive. */
  origins: readonly string[]
  /** Service, method, and Connect code or `ok`. */
  calls: readonly (readonly [service: string, method: string, code: string])[]
}

export interface MetricsOptions {
  version: string
  nodeVersion: string
  known: KnownSeries
  /** Evaluated at each scrape. */
  isStoreUp(): Promise<boolean>
  isReady(): Promise<boolean>
  /** How many log lines were dropped since the start. Absent: lines are never dropped. */
  linesDropped?: (() => number) | undefined
}

/** Label combinations that are fixed in this file. */
const decisionSeries = [
  ['local', 'allowed'],
  ['local', 'refused'],
  ['shared', 'allowed'],
  ['shared', 'refused'],
  ['fallback', 'allowed'],
  ['fallback', 'refused'],
  ['block', 'refused'],
] as const

/** All the metrics of the service. No label contains a caller's text, except the names of the feed's consumers. */
export function createMetrics({
  version,
  nodeVersion,
  known,
  isStoreUp,
  isReady,
  linesDropped = () => 0,
}: MetricsOptions) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const { counter, histogram, gauge, flag } = createCounts(registry)

  const requests = counter('lead_intake_http_requests_total', 'Public requests by route, status and problem code.', [
    'route',
    'status',
    'code',
  ])
  const requestSeconds = histogram(
    'lead_intake_http_request_duration_seconds',
    'Time to answer a public request.',
    ['route', 'status'],
    latencyBuckets,
  )
  const ceilingRefusals = counter(
    'lead_intake_ceiling_refusals_total',
    'Submissions refused because all clients together had reached INTAKE_CEILING_PER_MINUTE.',
    [],
  )
  // Creates the series at 0, so that the first refusal counts as an increase.
  ceilingRefusals()
  const closedConnections = counter(
    'lead_intake_http_connections_closed_total',
    'Public connections closed by a limit, by reason.',
    ['reason'],
  )
  const calls = counter('lead_intake_rpc_calls_total', 'RPC calls by service, method and Connect code.', [
    'service',
    'method',
    'code',
  ])
  const callSeconds = histogram(
    'lead_intake_rpc_call_duration_seconds',
    'Time to answer a call.',
    ['service', 'method'],
    latencyBuckets,
  )
  const refusedHandshakes = counter(
    'lead_intake_rpc_refused_handshakes_total',
    'TLS handshakes of the internal listener that failed, by the code of Node or OpenSSL.',
    ['code'],
  )
  const leads = counter('lead_intake_leads_total', 'Accepted submissions by path and outcome.', ['path', 'outcome'])
  const decisions = counter('lead_intake_limiter_decisions_total', 'Limiter decisions by mode and result.', [
    'mode',
    'result',
  ])
  const fallbacks = counter('lead_intake_limiter_fallbacks_total', 'How often the limiter switched to its fallback.')
  const fallback = gauge('lead_intake_limiter_fallback', '1 while the limiter runs on its fallback.')
  const untrusted = counter(
    'lead_intake_untrusted_forwarded_total',
    'Submissions with X-Forwarded-For from a peer outside TRUSTED_PROXIES.',
  )
  const batches = counter('lead_intake_store_batches_total', 'Commits by outcome.', ['outcome'])
  const batchSeconds = histogram('lead_intake_store_batch_seconds', 'Time of one commit.', [], latencyBuckets)
  const batchSize = histogram('lead_intake_store_batch_size', 'Submissions that share a commit.', [], batchBuckets)
  const clockSkew = gauge('lead_intake_clock_skew_seconds', "How far the replica's clock is ahead of the database's.")
  const skewed = counter('lead_intake_clock_skewed_total', 'Comparisons with a clock more than a minute off.')
  const sealed = gauge(
    'lead_intake_seal_last_timestamp_seconds',
    'When this replica last found the evidence sealed, or was started.',
  )
  const certificateExpiry = gauge(
    'lead_intake_internal_certificate_expiry_timestamp_seconds',
    "When a certificate of the internal listener expires: the server's own, or the last CA of its clients.",
    ['certificate'],
  )
  const consumers = createConsumerMetrics(gauge)
  gauge('lead_intake_build_info', 'Always 1; the labels say what runs.', ['version', 'node'])
    .labels(version, nodeVersion)
    .set(1)
  registry.registerMetric(
    new Counter({
      name: 'lead_intake_log_lines_dropped_total',
      help: 'Log lines that were dropped because their reader is too slow.',
      registers: [],
      collect() {
        this.reset()
        this.inc(linesDropped())
      },
    }),
  )
  flag('lead_intake_store_up', '1 while leads can be stored, asked on each scrape.', isStoreUp)
  flag('lead_intake_ready', '1 while /readyz answers 200.', isReady)

  for (const [route, status, code] of known.requests) {
    requests(route, String(status), code)
    requestSeconds(route, statusClass(status))
  }
  for (const [service, method, code] of known.calls) {
    calls(service, method, code)
    callSeconds(service, method)
  }
  for (const origin of known.origins) {
    for (const outcome of ['created', 'replayed', 'duplicate']) leads(origin, outcome)
  }
  for (const labels of decisionSeries) decisions(...labels)
  for (const outcome of ['committed', 'failed']) batches(outcome)
  for (const child of [fallbacks, untrusted, skewed]) child()
  for (const child of [batchSeconds, batchSize]) child()
  for (const child of [fallback, clockSkew]) child.set(0)
  sealed.setToCurrentTime()

  return {
    /** `seconds` is undefined when the request did not arrive completely. */
    onRequest(route: string, status: number, code: string | undefined, seconds?: number) {
      requests(route, String(status), code ?? '').inc()
      if (seconds !== undefined) requestSeconds(route, statusClass(status)).observe(seconds)
    },
    onCeiling() {
      ceilingRefusals().inc()
    },
    onConnectionClosed(reason: string) {
      closedConnections(reason).inc()
    },
    onCall(service: string, method: string, code: string, seconds: number) {
      calls(service, method, code).inc()
      callSeconds(service, method).observe(seconds)
    },
    onRefusedHandshake(code: string) {
      refusedHandshakes(code).inc()
    },
    onLead(path: string, outcome: string) {
      leads(path, outcome).inc()
    },
    onDecision(mode: string, allowed: boolean) {
      decisions(mode, allowed ? 'allowed' : 'refused').inc()
    },
    onLimiterMode(mode: string) {
      fallback.set(mode === 'fallback' ? 1 : 0)
      if (mode === 'fallback') fallbacks().inc()
    },
    onUntrustedForwarded() {
      untrusted().inc()
    },
    onBatch({ size, seconds, outcome }: { size: number; seconds: number; outcome: string }) {
      batches(outcome).inc()
      batchSeconds().observe(seconds)
      batchSize().observe(size)
    },
    /** `seconds`: how far this clock is ahead of the database's. `isOff`: more than tolerated. */
    onClockSkew(seconds: number, isOff: boolean) {
      clockSkew.set(seconds)
      if (isOff) skewed().inc()
    },
    onCertificate(certificate: string, expirySeconds: number) {
      certificateExpiry.set({ certificate }, expirySeconds)
    },
    /** A sealing round ended with nothing left to seal. */
    onSealed() {
      sealed.setToCurrentTime()
    },
    /** Exposes the consumers of the feed at each scrape. */
    observeConsumers: consumers.observe,
    async render(): Promise<{ type: string; body: string }> {
      await consumers.update()
      return { type: registry.contentType, body: await registry.metrics() }
    },
  }
}

/** Separate classes, because a refusal takes no time and a 503 takes seconds: neither says how long storing takes. */
function statusClass(status: number): string {
  return `${Math.floor(status / 100)}xx`
}

export type Metrics = ReturnType<typeof createMetrics>
