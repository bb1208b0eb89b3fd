import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ConsumerLag } from '../inbox/consumers.ts'
import { problemTable } from '../problem/table.ts'
import { leadPaths } from '../public-paths.ts'
import { version } from '../version.ts'

/** In seconds. The last ones are beyond the five after which the service gives up. */
const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const submissionRoutes = new Set(leadPaths.map(({ path }) => path))

export type Metrics = ReturnType<typeof createMetrics>

interface State {
  isStoreUp: boolean
  isOnFallback: boolean
  isReady: boolean
  consumers: readonly ConsumerLag[]
  linesDropped: number
}

/** No label contains a caller's text, except the names of consumers. */
export function createMetrics() {
  const register = new Registry()
  const registers = [register]
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers })
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers })
  const histogram = (name: string, help: string, labelNames: string[] = []) =>
    new Histogram({ name, help, buckets: latencyBuckets, labelNames, registers })

  // The default precision of 10 ms would keep waking an idle process.
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: 1_000 })
  const build = gauge('lead_intake_build_info', 'What runs. Always 1.', ['version', 'node'])
  build.set({ version, node: process.version }, 1)
  const storeUp = gauge('lead_intake_store_up', '1 while leads can be stored.')
  const onFallback = gauge('lead_intake_limiter_fallback', '1 while the limiter runs on its fallback.')
  const ready = gauge('lead_intake_ready', '1 while /readyz answers 200.')
  const dropped = counter('lead_intake_log_lines_dropped_total', 'Log lines that could not be written.')

  const requests = counter('lead_intake_http_requests_total', 'Public requests.', ['route', 'status', 'code'])
  const requestSeconds = histogram('lead_intake_http_request_duration_seconds', 'Accepted submissions.', ['route'])
  const closed = counter('lead_intake_http_connections_closed_total', 'Connections beyond a limit.', ['reason'])
  const untrusted = counter('lead_intake_untrusted_forwarded_total', 'X-Forwarded-For from outside TRUSTED_PROXIES.')
  const refusedOrigins = counter('lead_intake_cors_refused_total', 'Preflights from outside CORS_ORIGINS.')
  const outdated = counter('lead_intake_outdated_wording_total', 'New leads whose wording is not in force.')
  const leads = counter('lead_intake_leads_total', 'Accepted submissions.', ['path', 'outcome'])
  const decisions = counter('lead_intake_limiter_decisions_total', 'Limiter decisions.', ['mode', 'result'])

  const calls = counter('lead_intake_rpc_calls_total', 'RPC calls.', ['service', 'method', 'code'])
  const callSeconds = histogram('lead_intake_rpc_call_duration_seconds', 'Unary calls, of every code.', ['method'])
  const refusedHandshakes = counter('lead_intake_rpc_refused_handshakes_total', 'Failed TLS handshakes.', ['code'])
  /** Created with the first certificate: a gauge of 0 would mean one that expired in 1970. */
  let certificateExpiry: Gauge | undefined

  const batchSeconds = histogram('lead_intake_store_batch_seconds', 'Time of one commit, also of a failed one.')
  const streams = gauge('lead_intake_consumer_streams', 'Open streams of the feed.', ['consumer'])
  const lag = gauge('lead_intake_consumer_lag_seconds', 'Age of the first entry not sent to a consumer.', ['consumer'])

  // Prometheus sees no increase in a series that begins at 1, so those in alerts begin at 0.
  for (const path of [...leadPaths.map(({ submissionPath }) => submissionPath), 'rpc'])
    for (const outcome of ['created', 'replayed', 'duplicate']) leads.inc({ path, outcome }, 0)
  for (const route of submissionRoutes) {
    for (const status of [200, 201]) requests.inc({ route, status, code: '' }, 0)
    for (const [code, { status }] of Object.entries(problemTable))
      if (status !== null) requests.inc({ route, status, code }, 0)
  }

  // The code of `cursor_lost`, which no other failure of this call has.
  calls.inc({ service: 'leadintake.v1.LeadInboxService', method: 'WatchLeads', code: 'out_of_range' }, 0)

  return {
    /** `seconds` is undefined if the request did not arrive completely. */
    onRequest(route: string, status: number, code: string | undefined, seconds?: number) {
      requests.inc({ route, status, code: code ?? '' })
      // A refusal or a 503 does not show how long storing takes.
      if (seconds !== undefined && (status === 200 || status === 201) && submissionRoutes.has(route)) {
        requestSeconds.observe({ route }, seconds)
      }
    },
    onConnectionClosed: (reason: string) => closed.inc({ reason }),
    onCall(call: { service: string; method: string; code: string; seconds: number }, isUnary: boolean) {
      const { service, method, code, seconds } = call
      calls.inc({ service, method, code })
      if (isUnary) callSeconds.observe({ method }, seconds)
    },
    onRefusedHandshake: (code: string) => refusedHandshakes.inc({ code }),
    onCertificate(expiry: Date) {
      const name = 'lead_intake_internal_certificate_expiry_timestamp_seconds'
      certificateExpiry ??= gauge(name, 'When the certificate of the internal listener expires.')
      certificateExpiry.set(expiry.getTime() / 1_000)
    },
    onLead: (path: string, outcome: string) => leads.inc({ path, outcome }),
    onDecision: (mode: string, allowed: boolean) => decisions.inc({ mode, result: allowed ? 'allowed' : 'refused' }),
    onUntrustedForwarded: () => untrusted.inc(),
    onRefusedOrigin: () => void refusedOrigins.inc(),
    onOutdatedWording: () => outdated.inc(),
    onBatch: (seconds: number) => batchSeconds.observe(seconds),
    async render({ isStoreUp, isOnFallback, isReady, consumers, linesDropped }: State) {
      storeUp.set(Number(isStoreUp))
      onFallback.set(Number(isOnFallback))
      ready.set(Number(isReady))
      for (const metric of [dropped, streams, lag]) metric.reset()
      dropped.inc(linesDropped)
      for (const { consumer, streams: open, lagSeconds } of consumers) {
        streams.set({ consumer }, open)
        if (lagSeconds !== undefined) lag.set({ consumer }, lagSeconds)
      }
      return { type: register.contentType, body: await register.metrics() }
    },
  }
}
